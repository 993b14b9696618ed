/**
 * Which news may wait (own requests per step): that a step has begun, or is about to end, is written
 * only if it lasts for a second; a short step never causes that write. That one follows another is
 * written once a second.
 */
import { attemptOf } from './attempts-and-retries.ts';
import { isBeingDeleted } from './failure-policy.ts';
import { jobParts } from './job-fate.ts';
import { type Look, msOf, type Told } from './look.ts';
import { isHeldUp } from './pods.ts';

const passingMs = 1_000;
/** The ordinary course of a flow is told so often, or in 2 ms for each step when that is longer. */
const courseMs = 1_000;
const courseMsPerStep = 2;
/** While many flows are decided about at once. */
const busyCourseMs = 5_000;

/** From when on the news of a step is to be written, milliseconds since the epoch; undefined: at once. */
export function mayWaitUntilMs(look: Look, before: Told, after: Told): number | undefined {
  const { atMs, jobs } = look;
  const turnMs = nextTurnMs(look);
  // For others of its flow, and for which comes with what became of them.
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
  // A time that lies ahead was written by another clock.
  return sinceMs > atMs ? undefined : Math.max(sinceMs + passingMs, turnMs ?? 0);
}

/**
 * When the flow's course may be told again, milliseconds since the epoch. Undefined: it is told at once,
 * since a Job could go unnoticed that nobody wrote down, or since the clocks differ.
 */
function nextTurnMs({ flow, noticesRemovals, isUnderLoad, atMs }: Look): number | undefined {
  const lastMs = msOf(flow.status?.lastUpdateTime);
  if (!noticesRemovals || !(lastMs <= atMs)) return undefined;
  const leastMs = isUnderLoad ? busyCourseMs : courseMs;
  return lastMs + Math.max(leastMs, flow.spec.flows.length * courseMsPerStep);
}

/** It waits for others, then its Job is there, then it has succeeded, and there is nothing else to say. */
function isCourse(before: Told, after: Told): boolean {
  const isSameAttempt = attemptOf(before) === attemptOf(after);
  const isPlain = ({ reason }: Told): boolean => isOrdinaryWait(reason);
  if (!isSameAttempt || !isPlain(before) || !isPlain(after)) return false;
  const [from, to] = [before.state, after.state];
  if (from === 'Waiting') return ['Waiting', 'Pending', 'Running', 'Succeed'].includes(to);
  return (from === 'Pending' || from === 'Running') && to === 'Succeed';
}

/** For those that it depends on, or for a place. */
export function isOrdinaryWait(reason: string | undefined): boolean {
  return [undefined, 'DependenciesPending', 'ParallelismReached'].includes(reason);
}

/** That we delete a Job is told at once. */
function isPassing(told: Told): boolean {
  return (told.state === 'Pending' || told.state === 'Running') && !isBeingDeleted(told);
}
