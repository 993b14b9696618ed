/** Deletes a parent some time after its end; the garbage collector deletes its children. */
import type { Decision } from '#shared/domain/decision.ts';
import { objectName, type Resource } from '#shared/domain/objects.ts';
import type { DeleteOperation } from '#shared/domain/plan.ts';
import { parseTime } from '#shared/domain/time.ts';
import { decision } from './conclude.ts';
import type { Parent, ParentStatus } from './parent.ts';

/** It may have changed at the time of its deletion, which then had no effect. Milliseconds. */
const deletionRetryMs = 10_000;

/** When it is to be deleted, in milliseconds since the epoch. Undefined: never. */
export function parentTtlDueMs(
  { ttlSecondsAfterFinished }: Parent['spec'],
  { completionTime }: Pick<ParentStatus, 'completionTime'>,
): number | undefined {
  const completedMs = parseTime(completionTime);
  return ttlSecondsAfterFinished === undefined || completedMs === undefined
    ? undefined
    : completedMs + ttlSecondsAfterFinished * 1_000;
}

/** `what` is the word for the parent. */
export function expired(
  { metadata }: Parent,
  resource: Resource,
  what: string,
  nowMs: number,
): Decision {
  const { uid, resourceVersion } = metadata;
  const remove: DeleteOperation = {
    kind: 'delete',
    resource,
    target: objectName(metadata),
    uid,
    // A retry that was requested meanwhile makes the deletion fail (argo-workflows#12636).
    resourceVersion,
    propagation: 'Background',
  };
  const message = `ttlSecondsAfterFinished of the ${what} has passed`;
  return decision([[remove]], [{ code: 'TtlExpired', message }], [nowMs + deletionRetryMs]);
}
