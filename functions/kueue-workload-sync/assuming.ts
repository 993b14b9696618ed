import { queuedKindNamed } from '#shared/api/work/queued-kinds.ts';
import type { KubeObject, NewObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import type { QueueSnapshot } from './snapshot.ts';

/** The snapshot as if an object that podSets are made from had this content, or existed. */
export function assuming(snapshot: QueueSnapshot, object: NewObject): QueueSnapshot {
  const { key, needed } = snapshot;
  const { name, namespace = key.namespace } = object.metadata;
  const needs = queuedKindNamed(key)?.queueing.needs;
  if (needs?.resource.kind !== object.kind || namespace !== key.namespace) return snapshot;
  if (ownMember(needed, name) === undefined) return snapshot;
  return { ...snapshot, needed: { ...needed, [name]: needs.partOf(object as KubeObject) } };
}
