import type { Request } from '../audit-window.ts';

export interface DaemonTimes {
  readonly secondsToLastJob: number;
  readonly secondsToLastEnd: number;
  readonly secondsToSucceed?: number;
}

/**
 * By the stamps of the audit log, from the commit of the DaemonJob. The last status write of a Job
 * reports its end, and so does that of a DaemonJob.
 */
export function daemonTimes(requests: readonly Request[]): DaemonTimes {
  const commits = (resource: string, subresource: string) =>
    requests
      .filter((each) => each.resource === resource && each.subresource === subresource)
      .filter(({ code, verb }) => code === (verb === 'create' ? 201 : 200) && verb in writes)
      .map(({ completedMs }) => completedMs);
  const [start = Number.NaN] = commits('daemonjobs', '');
  const since = (times: readonly number[]) => (Math.max(...times) - start) / 1_000;
  const statuses = commits('daemonjobs', 'status');
  return {
    secondsToLastJob: since(commitsOfCreates(requests)),
    secondsToLastEnd: since(commits('jobs', 'status')),
    ...(statuses.length === 0 ? {} : { secondsToSucceed: since(statuses) }),
  };
}

const writes = { create: true, update: true, patch: true };

/** Other writes of a Job, such as removing a finalizer, come later. */
function commitsOfCreates(requests: readonly Request[]): readonly number[] {
  return requests
    .filter(({ resource, verb, code }) => resource === 'jobs' && verb === 'create' && code === 201)
    .map(({ completedMs }) => completedMs);
}
