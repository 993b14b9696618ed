/**
 * Decides which changes may wait, to save requests. A step's start or imminent end is written only if it lasts for
 * a second, so a short step never causes that write. Progress from step to step is written once a second.
 */
import { attemptOf } from './attempts-and-retries.ts';
import { isBeingDeleted } from './failure-policy.ts';
import { jobParts } from './job-fate.ts';
import { type Look, msOf, type Predicted } from './look.ts';
import { isHeldUp } from './pods.ts';

const passingMs = 1_000;
/** A flow's ordinary progress is written at this interval, or every 2 ms per step if that is longer. */
const courseMs = 1_000;
const courseMsPerStep = 2;
/** While many decisions run at once. */
const busyCourseMs = 5_000;

/** When a step's change must be written, in milliseconds since the epoch. Undefined: at once. */
export function mayWaitUntilMs(
  look: Look,
  before: Predicted,
  after: Predicted,
): number | undefined {
  const { atMs, jobs } = look;
  const turnMs = nextTurnMs(look);
  // The causes of a step's wait are written with its dependencies' changes.
  if (before.state === 'Waiting' && after.state === 'Waiting' && isCourse(before, after)) {
    return Infinity;
  }
  if (isCourse(before, after)) return turnMs;
  const isSameJob = before.jobName === after.jobName && attemptOf(before) === attemptOf(after);
  if (!isSameJob || !isPassing(before) || !isPassing(after)) return undefined;
  const job = jobs.get(after.jobName ?? '');
  const { conditions = [] } = job === undefined ? {} : jobParts(job).status;
  const remark = conditions.find(({ type }) => type === after.reason)?.lastTransitionTime;
  const begunMs = msOf(after.startTime);
  if (Number.isNaN(begunMs)) return isHeldUp(after) ? undefined : Infinity;
  const sinceMs = Math.max(begunMs, remark === undefined ? begunMs : msOf(remark));
  // A time in the future was written by another clock.
  return sinceMs > atMs ? undefined : Math.max(sinceMs + passingMs, turnMs ?? 0);
}

/**
 * When the flow's progress may be written again, in milliseconds since the epoch. Undefined: at once,
 * because an unrecorded Job could vanish unnoticed, or because the clocks differ.
 */
function nextTurnMs({ flow, noticesRemovals, isUnderLoad, atMs }: Look): number | undefined {
  const lastMs = msOf(flow.status?.lastUpdateTime);
  if (!noticesRemovals || !(lastMs <= atMs)) return undefined;
  const leastMs = isUnderLoad ? busyCourseMs : courseMs;
  return lastMs + Math.max(leastMs, flow.spec.flows.length * courseMsPerStep);
}

/** It waits, then its Job exists, then it has succeeded, without any other remark. */
function isCourse(before: Predicted, after: Predicted): boolean {
  const isSameAttempt = attemptOf(before) === attemptOf(after);
  const isPlain = ({ reason }: Predicted): boolean => isOrdinaryWait(reason);
  if (!isSameAttempt || !isPlain(before) || !isPlain(after)) return false;
  const [from, to] = [before.state, after.state];
  if (from === 'Waiting') return ['Waiting', 'Pending', 'Running', 'Succeed'].includes(to);
  return (from === 'Pending' || from === 'Running') && to === 'Succeed';
}

/** For its dependencies, or for a place. */
export function isOrdinaryWait(reason: string | undefined): boolean {
  return [undefined, 'DependenciesPending', 'ParallelismReached'].includes(reason);
}

/** A deletion by Millrace is written at once. */
function isPassing(predicted: Predicted): boolean {
  return (
    (predicted.state === 'Pending' || predicted.state === 'Running') && !isBeingDeleted(predicted)
  );
}
