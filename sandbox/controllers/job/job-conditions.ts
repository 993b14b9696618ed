/** JobCondition, which unlike metav1.Condition has a probe time and may be written again. */
import { rfc3339 } from '#shared/domain/time.ts';
import type { JobCondition } from '../objects/job.ts';

type NewCondition = Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * The list with the condition in it, or the same list when nothing changes. A condition that never
 * existed is not set to False (pkg/controller/job/job_controller.go, ensureJobConditionStatus).
 */
export function withJobCondition(
  conditions: readonly JobCondition[],
  { type, status, reason, message }: NewCondition,
  nowMs: number,
): readonly JobCondition[] {
  const now = rfc3339(nowMs);
  const next = { type, status, reason, message, lastProbeTime: now, lastTransitionTime: now };
  const previous = conditions.find((condition) => condition.type === type);
  if (previous === undefined) return status === 'False' ? conditions : [...conditions, next];
  const isSame =
    previous.status === status && previous.reason === reason && previous.message === message;
  return isSame ? conditions : conditions.map((each) => (each === previous ? next : each));
}
