/**
 * Which differences of the status are worth a write of their own: requests per step are counted (I10).
 *
 * That a Job exists is written with its creation, and its end when it is seen. In between the step
 * goes from Pending to Running, which is only news when the step lasts: it waits until one second
 * after the Job's start, and so a short step never causes it. The same holds for a remark on the way
 * to the end (its Pods are terminating): it waits until one second after its condition was set. Where
 * these times lie ahead, the clocks differ, and nothing is held back.
 */
import { jobFlowStatusSchema } from '#shared/api/job-flow-status.ts';
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { jsonEqual, mergePatch } from '#shared/domain/merge-patch.ts';
import { parseTime } from '#shared/domain/time.ts';
import { unknownField } from './record.ts';
import { jobOf, type Situation } from './situation.ts';

/** A difference that is over by then was not worth telling, milliseconds. */
const passingMs = 1_000;

export interface StatusWrite {
  readonly patch?: JsonObject;
  /** When a difference that is held back is due, milliseconds since the epoch. */
  readonly dueMs?: number;
}

export function statusWrite(situation: Situation, next: JobFlowStatus): StatusWrite {
  const patch = mergePatch(known(situation.status), next);
  if (patch === undefined) return {};
  const onlySteps = Object.keys(patch).every((key) => key === 'jobStatusList');
  const before = situation.status.jobStatusList ?? [];
  const after = next.jobStatusList ?? [];
  if (!onlySteps || before.length !== after.length) return { patch };
  const dueMs = earliestDue(situation, before, after);
  if (dueMs === 'now' || (dueMs !== undefined && dueMs <= situation.nowMs)) return { patch };
  return dueMs === undefined ? {} : { dueMs };
}

/** A field that only another version knows is not ours to remove. */
function known(status: JobFlowStatus): JobFlowStatus {
  const fields = Object.entries(status).filter(([name]) => name in jobFlowStatusSchema.properties);
  return Object.fromEntries(fields);
}

/**
 * Of as many entries before and after: `now` when a difference may not wait; undefined when none has
 * to be written for its own sake.
 */
function earliestDue(
  situation: Situation,
  before: readonly StepRecord[],
  after: readonly StepRecord[],
): number | 'now' | undefined {
  let earliest: number | undefined;
  for (const [index, record] of after.entries()) {
    const dueMs = dueOf(situation, before[index] ?? record, record);
    if (dueMs === 'now') return 'now';
    if (dueMs !== undefined) earliest = Math.min(earliest ?? dueMs, dueMs);
  }
  return earliest;
}

function dueOf(
  situation: Situation,
  before: StepRecord,
  after: StepRecord,
): number | 'now' | undefined {
  if (jsonEqual(before, after)) return undefined;
  if (!isSameAttempt(before, after) || isJustSaid(before, after)) return 'now';
  const startMs = parseTime(after.startTime);
  if (startMs === undefined) return undefined;
  const sinceMs = Math.max(startMs, remarkedMs(situation, after) ?? startMs);
  return sinceMs > situation.nowMs ? 'now' : sinceMs + passingMs;
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
function isUnderway({ state, reason }: StepRecord): boolean {
  return (state === 'Pending' || state === 'Running') && reason !== 'Cancelling';
}
