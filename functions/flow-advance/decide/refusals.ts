/** Maps refusals of the API server to states of steps (rules 3 and 23; scenarios 18, 19 and 39). */
import type { StepRecord } from '#shared/api/job-flow.ts';
import { childJobName } from '#shared/domain/names.ts';
import { isRefusal, isTaken, type Rejection } from '#shared/domain/rejection.ts';
import { askAgainMs } from '#shared/parents/refusals.ts';
import { attemptOf, changed, isNotStarted, notStarted } from './record.ts';
import type { Situation } from './situation.ts';
import { failedRecord, type Step } from './steps.ts';

/** An invalid object stays invalid, so its step is Failed. Other refusals may pass, so the step is Blocked. */
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

/** Steps whose Job the cluster does not allow yet. */
export function refusedSteps(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ record }) => isRefused(record));
}

export function isRefused(record: StepRecord): boolean {
  return record.state === 'Blocked' && isRefusal(record.reason);
}

/**
 * The refusal concerns the whole flow. One create then says as much as a create for every step, and
 * saves up to 255 requests.
 */
export function refusesAll(record: StepRecord): boolean {
  return isRefused(record) && !isTaken(record.reason);
}

/** When to try again, milliseconds since the epoch. Undefined: nothing is refused. */
export function refusalDueMs(
  { status, nowMs }: Situation,
  steps: readonly Step[],
): number | undefined {
  const reasons = refusedSteps(steps).map(({ record }) => record.reason);
  return askAgainMs(reasons, status, nowMs);
}
