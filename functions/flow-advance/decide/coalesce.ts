/**
 * Decides which differences of the status need a write of their own, to save requests (I10).
 *
 * A Job is recorded with its creation, and its end when it is seen. Pending to Running in between is
 * news only if the step lasts, so it waits until one second after the Job's start. A short step never
 * causes this write. A remark on the way to the end (its Pods are terminating) likewise waits until
 * one second after its condition was set. If these times are in the future, the clocks differ, and
 * nothing is held back.
 *
 * Ordinary progress from step to step is written at most once a second, and more rarely under load
 * or in a long flow, because each write carries the whole status. Until then the Jobs are the
 * record, by their names, and the removal of one is noticed. The first and the last status, and
 * everything out of the ordinary, are written at once.
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

/** A difference that lasts less than this is not worth a write, milliseconds. */
const passingMs = 1_000;
/** The fields that ordinary progress changes. */
const progressFields: ReadonlySet<string> = new Set([
  'jobStatusList',
  'stepStates',
  'progress',
  'running',
]);
/** They say whether steps wait for a place or for terminating Pods, so they change with the steps. */
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

/** `stepStates` is computed anew for each write, so it is not compared. */
const compared = comparedBy<JobFlowStatus>(jobFlowStatusSchema, ['stepStates']);

function isProgress(before: JobFlowStatus, after: JobFlowStatus, changes: JsonObject): boolean {
  const saysAsMuch =
    isPassing(before.reason) && isPassing(after.reason) && isSameGist(before, after);
  return Object.keys(changes).every(
    (key) => progressFields.has(key) || rides(key, before) || (saysAsMuch && wordFields.has(key)),
  );
}

/** Both lists have the same length. */
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
 * The step waits for its dependencies, gets its Job or succeeds, without a remark. Pending to Running
 * is not included: it is recorded only if it lasts.
 */
function isOrdinaryCourse(before: StepRecord, after: StepRecord): boolean {
  if (attemptOf(before) !== attemptOf(after)) return false;
  if (isRemarked(before) || isRemarked(after) || isOver(before.state)) return false;
  return isNotStarted(before.state) || after.state === 'Succeed';
}

/**
 * A step that still waits is recorded when its dependencies are. But a new attempt that waits is news:
 * nothing else reports that the one before it failed.
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

/** The step waits for other steps of its flow: for its dependencies or for a place. */
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

/** The flow waits only for its own steps. */
function isPassing(reason: string | undefined): boolean {
  return isOrdinaryWait(reason) || isOnTheWay(reason);
}

/** Leaves out the text of Progressing, which follows from reason and message of the flow. */
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

/** When the condition that gives the step its reason was set. */
function remarkedMs(situation: Situation, { name, attempt, reason }: StepRecord) {
  const conditions = jobOf(situation, name, attempt ?? 0)?.conditions;
  return parseTime(conditions?.find(({ type }) => type === reason)?.lastTransitionTime);
}

/** The answer to a create is known in this one decision only, so it is written at once. */
function isJustSaid(before: StepRecord, after: StepRecord): boolean {
  return after.reason === unknownField && before.reason !== unknownField;
}

function isSameAttempt(before: StepRecord, after: StepRecord): boolean {
  return before.attempt === after.attempt && isUnderway(before) && isUnderway(after);
}

/** Excludes Jobs that Millrace deletes: their removal is recorded at once. */
function isUnderway(record: StepRecord): boolean {
  const { state } = record;
  return (state === 'Pending' || state === 'Running') && removalOf(record) === undefined;
}
