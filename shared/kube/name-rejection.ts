/** Reads the meaning of a taken name for a create. */
import { labels } from '#shared/domain/labels.ts';
import {
  controllerOf,
  isControlledBy,
  type KubeObject,
  type NewObject,
  objectName,
  type Uid,
} from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';

/** Most finalizers in the message. */
const namedFinalizers = 3;

/** A machine may reuse a name, so a Job may have the name of another machine's Job. */
export function isOfAnotherMachine(existing: KubeObject, wanted: NewObject): boolean {
  const machine = existing.metadata.labels?.[labels.nodeUid];
  return machine !== undefined && machine !== wanted.metadata.labels?.[labels.nodeUid];
}

/**
 * `NameTerminating` while the object is being deleted: the name becomes free by itself, or a person has to
 * look at what holds it. `NameConflict` otherwise. `ownerUid`: the wanted owner. An object with the same owner
 * is for another machine.
 */
export function nameRejection(existing: KubeObject, ownerUid?: Uid): Rejection {
  const { namespace, name } = objectName(existing.metadata);
  const isSibling = ownerUid !== undefined && isControlledBy(existing.metadata, ownerUid);
  if (existing.metadata.deletionTimestamp === undefined) {
    const whose = isSibling
      ? 'is for another machine'
      : 'has another owner: delete it, or choose another name';
    const message = `${existing.kind} ${namespace}/${name} exists and ${whose}`;
    return { name, code: 'NameConflict', message };
  }
  const whose = isSibling ? 'for another machine' : strangerOf(existing);
  return { name, code: 'NameTerminating', message: terminatingMessage(existing, whose) };
}

function strangerOf({ metadata }: KubeObject): string {
  const owner = controllerOf(metadata);
  return owner === undefined ? 'of another owner' : `of another ${owner.kind} ${owner.name}`;
}

function terminatingMessage({ kind, metadata }: KubeObject, whose: string): string {
  return (
    `the name is held by ${kind} ${metadata.name} ${whose}, which is being deleted` +
    `${heldBy(metadata.finalizers ?? [])}: wait for its Pods to end, or remove what holds it`
  );
}

function heldBy(finalizers: readonly string[]): string {
  if (finalizers.length === 0) return '';
  const rest = finalizers.length > namedFinalizers ? ', ...' : '';
  return ` (finalizers ${finalizers.slice(0, namedFinalizers).join(', ')}${rest})`;
}
