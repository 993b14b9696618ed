import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';

/**
 * An idle policy is checked anyway at this time after its last status, milliseconds. Another replica with an older
 * status may have found nothing to write, and no event reports that.
 */
const settlesMs = 120_000;

/**
 * The policy must be checked even without an event if it was edited, is being deleted, selects objects, reports
 * conflicts, has passed an unrecorded transition, or wrote its status a moment ago. With views, an idle policy costs no
 * request.
 */
export function isUnfinished(object: KubeObject, _seen: SeenObjects, nowMs: number): boolean {
  const { metadata, status } = object as unknown as Pick<SuspendPolicy, 'metadata' | 'status'>;
  if (metadata.deletionTimestamp !== undefined) return true;
  if (status?.observedGeneration !== metadata.generation) return true;
  const dueMs = parseTime(status?.nextTransition);
  if (dueMs !== undefined && dueMs <= nowMs) return true;
  if ((status?.selected ?? 0) > 0 || (status?.conflicts ?? []).length > 0) return true;
  const writtenMs = parseTime(status?.lastUpdateTime);
  return writtenMs !== undefined && nowMs < writtenMs + settlesMs;
}
