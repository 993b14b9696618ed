import type { Request } from '../audit-window.ts';

export interface DaemonTimes {
  readonly secondsToLastJob: number;
  readonly secondsToLastEnd: number;
  readonly secondsToSucceed?: number;
}

/**
 * By the stamps of the audit log, from the commit of the DaemonJob on. The last status write of a Job is
 * the one that tells of its end, and so is a DaemonJob's.
 */
export function daemonTimes(requests: readonly Request[]): DaemonTimes {
  const commits = (resource: string, subresource: string) =>
    requests
      .filter((each) => each.resource === resource && each.subresource === subresource)
      .filter(({ code, verb }) => code === (verb === 'create' ? 201 : 200) && verb in writes)
      .map(({ completedMs }) => completedMs);
  const [start = Number.NaN] = commits('daemonjobs', '');
  const since = (times: readonly number[]) => (Math.max(...times) - start) / 1_000;
  const told = commits('daemonjobs', 'status');
  return {
    secondsToLastJob: since(commitsOfCreates(requests)),
    secondsToLastEnd: since(commits('jobs', 'status')),
    ...(told.length === 0 ? {} : { secondsToSucceed: since(told) }),
  };
}

const writes = { create: true, update: true, patch: true };

/** Other writes of a Job, a finalizer that is taken off, come later. */
function commitsOfCreates(requests: readonly Request[]): readonly number[] {
  return requests
    .filter(({ resource, verb, code }) => resource === 'jobs' && verb === 'create' && code === 201)
    .map(({ completedMs }) => completedMs);
}
