/** Finds the objects that the integration still has to handle, from the cache alone. */
import { isManagedByKueue, type QueuedKind, queuedKindOf } from '#shared/api/work/queued-kinds.ts';
import { controllerOf, type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import { queueOf } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';

/** The object itself has the label, so it waits as a whole. */
export function isQueued(object: KubeObject): boolean {
  return queueOf(object as unknown as JsonObject) !== '';
}

/** It is queued, or its owner may be, and it is then admitted with the owner. */
export function mayWait(object: KubeObject): boolean {
  const owner = controllerOf(object.metadata);
  return isQueued(object) || (owner !== undefined && isManagedByKueue(owner));
}

export function mayStillStart({ queueing }: QueuedKind): (object: KubeObject) => boolean {
  return (object) => mayWait(object) && queueing.endOf(object) === undefined;
}

/** Until the job has ended and its Workload is released. */
export function isUnfinished(object: KubeObject, seen: SeenObjects): boolean {
  if (!mayWait(object)) return false;
  const hasEnded = queuedKindOf(object).queueing.endOf(object) !== undefined;
  if (!hasEnded || object.metadata.deletionTimestamp !== undefined) return true;
  const workloads = seen.listByOwner(resources.Workload, object.metadata.uid);
  return workloads.some(({ metadata }) => (metadata.finalizers ?? []).length > 0);
}
