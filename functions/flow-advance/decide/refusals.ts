/** What the API server refused, as the state of the step (rules 3 and 23; scenarios 18, 19 and 39). */
import type { StepRecord } from '#shared/api/job-flow.ts';
import { childJobName } from '#shared/domain/names.ts';
import { isRefusal, isTaken, type Rejection } from '#shared/domain/rejection.ts';
import { askAgainMs } from '#shared/parents/refusals.ts';
import { attemptOf, changed, isNotStarted, notStarted } from './record.ts';
import type { Situation } from './situation.ts';
import { failedRecord, type Step } from './steps.ts';

/** An object that is invalid stays invalid, so its step is Failed; everything else may pass: Blocked. */
export function applyRejections(situation: Situation, steps: readonly Step[]): readonly Step[] {
  if (situation.rejections.size === 0) return steps;
  return steps.map((step) => {
    if (!isNotStarted(step.record.state)) return step;
    const rejection = rejectionOf(situation, step.record);
    return rejection === undefined
      ? step
      : { ...step, record: refusedRecord(situation, step.record, rejection) };
  });
}

export function rejectionOf(situation: Situation, record: StepRecord): Rejection | undefined {
  const name = childJobName(situation.flow.metadata.name, record.name, attemptOf(record));
  return situation.rejections.get(name);
}

function refusedRecord(situation: Situation, record: StepRecord, rejection: Rejection): StepRecord {
  const { code, message } = rejection;
  if (code === 'Invalid') {
    const failure = { reason: 'InvalidJob', message, atMs: situation.nowMs };
    return failedRecord(changed(record, { attempt: attemptOf(record) }), failure);
  }
  return record.reason === code ? record : notStarted(record, 'Blocked', { reason: code, message });
}

/** Steps that wait for the cluster to allow their Job. */
export function refusedSteps(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ record }) => isRefused(record));
}

export function isRefused(record: StepRecord): boolean {
  return record.state === 'Blocked' && isRefusal(record.reason);
}

/**
 * A refusal that concerns the whole flow: asking for one Job tells as much as asking for all, and is
 * 255 requests cheaper.
 */
export function refusesAll(record: StepRecord): boolean {
  return isRefused(record) && !isTaken(record.reason);
}

/** When to ask again, milliseconds since the epoch; undefined when nothing is refused. */
export function refusalDueMs(
  { status, nowMs }: Situation,
  steps: readonly Step[],
): number | undefined {
  const reasons = refusedSteps(steps).map(({ record }) => record.reason);
  return askAgainMs(reasons, status, nowMs);
}
