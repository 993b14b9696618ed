/**
 * Which news may wait (own requests per step): that a step has begun, or is about to end, is written
 * only if it lasts for a second; a short step never causes that write.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import { attemptOf } from './attempts-and-retries.ts';
import { jobParts } from './job-fate.ts';
import { msOf, type Told } from './look.ts';

const passingMs = 1_000;

/** From when on the news is to be written, milliseconds since the epoch; undefined: at once. */
export function mayWaitUntilMs(
  before: Told,
  after: Told,
  job: KubeObject | undefined,
  atMs: number,
) {
  const isSameJob = before.jobName === after.jobName && attemptOf(before) === attemptOf(after);
  if (!isSameJob || !isPassing(before) || !isPassing(after)) return undefined;
  const { conditions = [] } = job === undefined ? {} : jobParts(job).status;
  const remark = conditions.find(({ type }) => type === after.reason)?.lastTransitionTime;
  const begunMs = msOf(after.startTime);
  if (Number.isNaN(begunMs)) return Infinity;
  const sinceMs = Math.max(begunMs, remark === undefined ? begunMs : msOf(remark));
  // A time that lies ahead was written by another clock.
  return sinceMs > atMs ? undefined : sinceMs + passingMs;
}

/** That we delete a Job is told at once. */
function isPassing({ state, reason }: Told): boolean {
  return (state === 'Pending' || state === 'Running') && reason !== 'Cancelling';
}
