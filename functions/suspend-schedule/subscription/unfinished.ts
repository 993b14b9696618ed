import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';

/**
 * So long after its status was written an idle policy is looked at all the same, milliseconds. By the status of
 * before another replica may have found nothing to write for what had changed since, and no event reports that.
 */
const settlesMs = 120_000;

/**
 * Whether somebody has to look at the policy even if no event arrives: it was edited, is being deleted, selects
 * something, a transition has passed that its status does not record, or its status was written a moment ago. With
 * views a look at one that is idle costs no request.
 */
export function isUnfinished(object: KubeObject, _seen: SeenObjects, nowMs: number): boolean {
  const { metadata, status } = object as unknown as Pick<SuspendPolicy, 'metadata' | 'status'>;
  if (metadata.deletionTimestamp !== undefined) return true;
  if (status?.observedGeneration !== metadata.generation) return true;
  const dueMs = parseTime(status?.nextTransition);
  if (dueMs !== undefined && dueMs <= nowMs) return true;
  if ((status?.selected ?? 0) > 0) return true;
  const writtenMs = parseTime(status?.lastUpdateTime);
  return writtenMs !== undefined && nowMs < writtenMs + settlesMs;
}
