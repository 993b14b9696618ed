/** Finds the objects that the integration still has to handle, from the cache alone. */
import { isManagedByKueue, type QueuedKind, queuedKindOf } from '#shared/api/work/queued-kinds.ts';
import { controllerOf, type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import { annotations } from '#shared/domain/labels.ts';
import { queueOf } from '#shared/domain/queue-labels.ts';
import { notedQueue } from '#shared/domain/queued-note.ts';
import { resources } from '#shared/domain/resources.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';

/** The object itself has the label, so it waits as a whole. */
function isQueued(object: KubeObject): boolean {
  return queueOf(object as unknown as JsonObject) !== '';
}

/** It was in a queue, and its Workload may be left. */
function wasQueued({ metadata }: KubeObject): boolean {
  const isGivenUp = metadata.annotations?.[annotations.givenUp] !== undefined;
  return isGivenUp || notedQueue(metadata) !== undefined;
}

function mayHaveOwnerInQueue({ metadata }: KubeObject): boolean {
  const owner = controllerOf(metadata);
  return owner !== undefined && isManagedByKueue(owner);
}

/** It is or was queued, or its owner may be, and it is then admitted with the owner. */
export function mayWait(object: KubeObject): boolean {
  return isQueued(object) || wasQueued(object) || mayHaveOwnerInQueue(object);
}

/** An object without a label that is here for its owner has no Workload. Any other was in a queue. */
export function mayHaveWorkload(object: KubeObject): boolean {
  return isQueued(object) || wasQueued(object) || !mayHaveOwnerInQueue(object);
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
