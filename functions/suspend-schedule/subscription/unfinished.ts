import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';

/**
 * Whether somebody has to look at the policy even if no event arrives: it was edited, is being deleted, or a
 * transition has passed that its status does not tell of. A look at one that is idle costs no request.
 */
export function isUnfinished(object: KubeObject, _seen: SeenObjects, nowMs: number): boolean {
  const { metadata, status } = object as unknown as Pick<SuspendPolicy, 'metadata' | 'status'>;
  if (metadata.deletionTimestamp !== undefined) return true;
  if (status?.observedGeneration !== metadata.generation) return true;
  const dueMs = parseTime(status?.nextTransition);
  if (dueMs !== undefined && dueMs <= nowMs) return true;
  return (status?.selected ?? 0) > 0;
}
