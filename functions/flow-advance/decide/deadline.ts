/** `spec.activeDeadlineSeconds` of a flow (rule 26). */
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
