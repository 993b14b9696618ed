/**
 * Which differences of the status are worth a write of their own: requests per step are counted (I10).
 *
 * That a Job exists is written with its creation, and its end when it is seen. In between the step
 * goes from Pending to Running, which is only news when the step lasts: it waits until one second
 * after the Job's start, and so a short step never causes it. The same holds for a remark on the way
 * to the end (its Pods are terminating): it waits until one second after its condition was set. Where
 * these times lie ahead, the clocks differ, and nothing is held back.
 *
 * That a flow goes on, step after step, is written at most once a second (more rarely under load, and
 * of a long flow, since each write carries it whole): the Jobs themselves are the record until then, by
 * their names, and a removal of one is noticed. The first word and the last one, and all that is not the
 * ordinary course of things, are written at once.
 */
import { jobFlowStatusSchema } from '#shared/api/job-flow-status.ts';
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import { asStored, isLong, noPlace } from '#shared/api/step-records.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { progressDueAt } from '#shared/domain/pace.ts';
import { parseTime } from '#shared/domain/time.ts';
import {
  comparedBy,
  type Due,
  rides,
  statusWrite,
  type StatusWrite,
} from '#shared/parents/status-write.ts';
import { attemptOf, isHeldUp, isNotStarted, isOnTheWay, isOver, unknownField } from './record.ts';
import { removalOf } from './removal.ts';
import { jobOf, type Situation } from './situation.ts';

/** A difference that is over by then was not worth telling, milliseconds. */
const passingMs = 1_000;
/** What of the status the ordinary course of things moves. */
const progressFields: ReadonlySet<string> = new Set([
  'jobStatusList',
  'stepStates',
  'progress',
  'running',
]);
/** Whether steps wait for a place, or for Pods that still stop, changes with what the steps do. */
const wordFields: ReadonlySet<string> = new Set(['reason', 'message', 'conditions']);

export function flowStatusWrite(situation: Situation, next: JobFlowStatus): StatusWrite {
  const { flow, status, nowMs } = situation;
  const stored = (each: JobFlowStatus) => asStored(flow.spec.flows, compared(each)) as JsonObject;
  const written = { before: stored(status), after: stored(next) };
  return statusWrite(written, nowMs, (changes) => {
    const before = status.jobStatusList ?? [];
    const after = next.jobStatusList ?? [];
    return isProgress(status, next, changes) && before.length === after.length
      ? earliestDue(situation, before, after)
      : 'now';
  });
}

/** What was left out of the list is counted anew with each write. */
const compared = comparedBy<JobFlowStatus>(jobFlowStatusSchema, ['stepStates']);

function isProgress(before: JobFlowStatus, after: JobFlowStatus, changes: JsonObject): boolean {
  const saysAsMuch =
    isPassing(before.reason) && isPassing(after.reason) && isSameGist(before, after);
  return Object.keys(changes).every(
    (key) => progressFields.has(key) || rides(key, before) || (saysAsMuch && wordFields.has(key)),
  );
}

/** Of as many entries before and after. */
function earliestDue(
  situation: Situation,
  before: readonly StepRecord[],
  after: readonly StepRecord[],
): Due {
  let earliest: number | undefined;
  for (const [index, record] of after.entries()) {
    const dueMs = dueOf(situation, before[index] ?? record, record);
    if (dueMs === 'now') return 'now';
    if (dueMs !== undefined) earliest = Math.min(earliest ?? dueMs, dueMs);
  }
  return earliest;
}

function dueOf(situation: Situation, before: StepRecord, after: StepRecord): Due {
  if (jsonEqual(before, after) || isStillAwaiting(before, after)) return undefined;
  if (isLong(situation.flow.spec.flows) && isSameToThePoint(before, after)) return undefined;
  if (isOrdinaryCourse(before, after)) return progressDueMs(situation);
  if (!isSameAttempt(before, after) || isJustSaid(before, after)) return 'now';
  const startMs = parseTime(after.startTime);
  if (startMs === undefined) return isHeldUp(after) ? 'now' : undefined;
  const sinceMs = Math.max(startMs, remarkedMs(situation, after) ?? startMs);
  if (sinceMs > situation.nowMs) return 'now';
  const turnMs = progressDueMs(situation);
  return Math.max(sinceMs + passingMs, turnMs === 'now' ? 0 : turnMs);
}

/**
 * Its dependencies are awaited, its Job is created, or it has succeeded, and there is nothing to remark.
 * From Pending to Running is recorded when it has lasted.
 */
function isOrdinaryCourse(before: StepRecord, after: StepRecord): boolean {
  if (attemptOf(before) !== attemptOf(after)) return false;
  if (isRemarked(before) || isRemarked(after) || isOver(before.state)) return false;
  return isNotStarted(before.state) || after.state === 'Succeed';
}

/**
 * For which of its dependencies is recorded together with what became of the others. That another attempt waits
 * for them tells that the one before it failed, and nothing else does.
 */
function isStillAwaiting(before: StepRecord, after: StepRecord): boolean {
  return isAwaiting(before) && isAwaiting(after) && attemptOf(before) === attemptOf(after);
}

function isAwaiting({ state, reason }: StepRecord): boolean {
  return state === 'Waiting' && isOrdinaryWait(reason);
}

function isRemarked({ state, reason }: StepRecord): boolean {
  return state === 'Waiting' ? !isOrdinaryWait(reason) : reason !== undefined;
}

/** It waits for others of its flow: for those that it depends on, or for a place. */
function isOrdinaryWait(reason: string | undefined): boolean {
  return reason === undefined || reason === 'DependenciesPending' || reason === noPlace;
}

function isSameToThePoint(before: StepRecord, after: StepRecord): boolean {
  return (
    before.state === after.state &&
    attemptOf(before) === attemptOf(after) &&
    before.reason === after.reason &&
    before.nextRetryTime === after.nextRetryTime
  );
}

/** Of the flow: it waits for its own steps only. */
function isPassing(reason: string | undefined): boolean {
  return isOrdinaryWait(reason) || isOnTheWay(reason);
}

/** What Progressing says follows from reason and message of the flow. */
function isSameGist(before: JobFlowStatus, after: JobFlowStatus): boolean {
  return jsonEqual(gistOf(before), gistOf(after));
}

function gistOf({ conditions = [] }: JobFlowStatus): JsonObject[] {
  return conditions.map(({ type, status, reason, message }) =>
    type === 'Progressing' ? { type, status } : { type, status, reason, message },
  );
}

function progressDueMs({ status, snapshot, flow, nowMs, isUnderLoad }: Situation): number | 'now' {
  const { lastUpdateTime } = status;
  const parts = flow.spec.flows.length;
  const noticesRemovals = snapshot.noticesRemovals === true;
  return progressDueAt({ lastUpdateTime, noticesRemovals, parts, isUnderLoad }, nowMs);
}

/** When the condition was set that gives the step its reason. */
function remarkedMs(situation: Situation, { name, attempt, reason }: StepRecord) {
  const conditions = jobOf(situation, name, attempt ?? 0)?.conditions;
  return parseTime(conditions?.find(({ type }) => type === reason)?.lastTransitionTime);
}

/** What the API server said of a create is known in this one decision only. */
function isJustSaid(before: StepRecord, after: StepRecord): boolean {
  return after.reason === unknownField && before.reason !== unknownField;
}

function isSameAttempt(before: StepRecord, after: StepRecord): boolean {
  return before.attempt === after.attempt && isUnderway(before) && isUnderway(after);
}

/** We are deleting a Job: that is an act of ours and is recorded at once. */
function isUnderway(record: StepRecord): boolean {
  const { state } = record;
  return (state === 'Pending' || state === 'Running') && removalOf(record) === undefined;
}
