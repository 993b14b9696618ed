import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { JobObject, PodObject } from './batch-objects.ts';
import type { ObjectHistory } from './object-history.ts';

/** The shared watches of one file's tests. */
export interface Histories {
  readonly flows: ObjectHistory<JobFlow & KubeObject>;
  readonly daemonJobs: ObjectHistory<DaemonJob & KubeObject>;
  readonly jobs: ObjectHistory<JobObject>;
  readonly pods: ObjectHistory<PodObject>;
}

/**
 * The first value of `probe` that is neither undefined nor false. It is called now and after every
 * change. Undefined: none came within `withinMs` milliseconds. Rejects when a watch breaks.
 */
export function firstValue<Value>(
  { flows, daemonJobs, jobs, pods }: Histories,
  probe: () => Value | undefined | false,
  withinMs: number,
): Promise<Value | undefined | false> {
  const { promise, resolve, reject } = Promise.withResolvers<Value | undefined | false>();
  const watched = [flows, daemonJobs, jobs, pods] as const;
  const check = () => {
    try {
      for (const history of watched) history.assertHealthy();
      const value = probe();
      if (value !== undefined && value !== false) resolve(value);
    } catch (error) {
      reject(error);
    }
  };
  const stops = watched.map((history) => history.onChange(check));
  const timer = setTimeout(() => resolve(undefined), withinMs);
  check();
  return promise.finally(() => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  });
}
