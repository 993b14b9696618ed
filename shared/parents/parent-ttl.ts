/** Removing a parent some time after its end; the garbage collector removes its children. */
import type { Decision } from '#shared/domain/decision.ts';
import { objectName, type Resource } from '#shared/domain/objects.ts';
import type { DeleteOperation } from '#shared/domain/plan.ts';
import { parseTime } from '#shared/domain/time.ts';
import { decision } from './conclude.ts';
import type { Parent, ParentStatus } from './parent.ts';

/** It may have changed under its own deletion, which then did nothing, milliseconds. */
const deletionRetryMs = 10_000;

/** When it is to be deleted, milliseconds since the epoch; undefined: never. */
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
    // A retry that was asked for in the meantime makes it fail (argo-workflows#12636).
    resourceVersion,
    propagation: 'Background',
  };
  const message = `ttlSecondsAfterFinished of the ${what} has passed`;
  return decision([[remove]], [{ code: 'TtlExpired', message }], [nowMs + deletionRetryMs]);
}
