/** `spec.activeDeadlineSeconds` (rule 26) and `spec.startDeadlineSeconds` (rule 18) of a flow. */
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import { activeDeadlineMs, isEndingLate } from '#shared/parents/active-deadline.ts';
import { isSuspended, type Situation } from './situation.ts';

/** Reason of a flow whose time is up, and of its steps that did not run or were deleted for it. */
export const flowDeadlineExceeded = 'FlowDeadlineExceeded';

/** Milliseconds since the epoch. Undefined: there is no deadline, the flow has not started, or it is suspended. */
function deadlineMs(situation: Situation, status: JobFlowStatus): number | undefined {
  if (isSuspended(situation)) return undefined;
  return activeDeadlineMs(situation.flow.spec.activeDeadlineSeconds, status, situation.nowMs);
}

export function isOverdue(situation: Situation): boolean {
  const { status, nowMs } = situation;
  const dueMs = deadlineMs(situation, status);
  const isDue = dueMs !== undefined && dueMs <= nowMs;
  return isDue || isEndingLate(status, flowDeadlineExceeded);
}

/** When to decide again, by the status to be written. Undefined once the time is up or the flow has ended. */
export function deadlineDueMs(situation: Situation, next: JobFlowStatus): number | undefined {
  if (next.completionTime !== undefined) return undefined;
  const dueMs = deadlineMs(situation, next);
  return dueMs === undefined || dueMs <= situation.nowMs ? undefined : dueMs;
}

/**
 * Milliseconds since the epoch, counted from the creation as `activeDeadlineSeconds` is from the start: a
 * resumption and a retry by hand begin a full one. Undefined: there is none, the flow has started, or it is
 * suspended.
 */
export function startDeadlineMs(
  { flow: { metadata, spec }, nowMs }: Situation,
  { startTime, conditions = [] }: JobFlowStatus,
): number | undefined {
  if (startTime !== undefined || spec.suspend === true) return undefined;
  const waiting = { startTime: metadata.creationTimestamp, conditions };
  return activeDeadlineMs(spec.startDeadlineSeconds, waiting, nowMs);
}

/** When to decide again, by the status to be written. Undefined once the flow has started or ended. */
export function startDeadlineDueMs(situation: Situation, next: JobFlowStatus): number | undefined {
  return next.completionTime === undefined ? startDeadlineMs(situation, next) : undefined;
}
