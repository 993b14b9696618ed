/**
 * The garbage collector (pkg/controller/garbagecollector): an object goes when none of its owners is
 * left. Owners are told by uid, so another object under an owner's name is none.
 *
 * Background: the owner goes first, its dependents follow. Foreground: dependents that block go
 * first, then the finalizer `foregroundDeletion` comes off. Orphan: the references come off first,
 * then the finalizer `orphan`.
 */
import type { KubeObject, OwnerReference } from '#shared/domain/objects.ts';
import type { Located } from '../../store/owner-index.ts';
import type { ObjectStore, StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerApi, ControllerContext } from '../controller.ts';
import { Writes } from '../writes.ts';

const foreground = 'foregroundDeletion';
const orphan = 'orphan';

export class GarbageCollector implements Controller {
  readonly name = 'garbage-collector';

  keysFor({ type, object, old }: StoreEvent): readonly string[] {
    const { uid, ownerReferences = [], deletionTimestamp } = object.metadata;
    const owners = old?.metadata.ownerReferences ?? [];
    if (type === 'DELETED') {
      return [`owner ${uid}`, ...waitingOwners([...owners, ...ownerReferences])];
    }
    const keys = deletionTimestamp === undefined ? [] : [`owner ${uid}`];
    if (old?.metadata.ownerReferences === ownerReferences) return keys;
    // A reference that came off may have been the last that its owner waited for.
    if (ownerReferences.length > 0) keys.push(`dependent ${uid}`);
    return [...keys, ...waitingOwners(owners)];
  }

  reconcile(key: string, { api }: ControllerContext): number | undefined {
    const [role = '', uid = ''] = key.split(' ');
    const found = api.store.byUid(uid);
    if (role === 'dependent') {
      if (found !== undefined) collect(found, api);
      return undefined;
    }
    if (found === undefined) {
      for (const dependent of api.store.dependentsOf(uid)) collect(dependent, api);
    } else {
      releaseDependents(found, api);
    }
    return undefined;
  }
}

function waitingOwners(references: readonly OwnerReference[]): readonly string[] {
  return [...new Set(references.map(({ uid }) => `owner ${uid}`))];
}

/** For an owner that is being deleted but has a finalizer of ours. */
function releaseDependents({ type, object }: Located, api: ControllerApi): void {
  const { uid, finalizers = [], deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined) return;
  const writes = new Writes(api, 'kube-controller-manager');
  const dependents = api.store.dependentsOf(uid);
  if (finalizers.includes(orphan)) {
    for (const dependent of dependents) dropOwners(dependent, [uid], writes);
    writes.removeFinalizer(type, object, orphan);
  } else if (finalizers.includes(foreground)) {
    for (const dependent of dependents) collect(dependent, api);
    const isBlocked = api.store
      .dependentsOf(uid)
      .some(({ object: { metadata } }) =>
        metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
      );
    if (!isBlocked) writes.removeFinalizer(type, object, foreground);
  }
}

/** Deletes an object without owner, and takes those references away that are in vain. */
function collect(item: Located, api: ControllerApi): void {
  const { type, object } = item;
  const { ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp !== undefined || ownerReferences.length === 0) return;
  const owners = ownerReferences.map((reference) => ({
    reference,
    state: ownerState(reference, object, api.store),
  }));
  const writes = new Writes(api, 'kube-controller-manager');
  if (owners.some(({ state }) => state === 'solid')) {
    const vain = owners.filter(({ state }) => state !== 'solid');
    if (vain.length > 0)
      dropOwners(
        item,
        vain.map(({ reference }) => reference.uid),
        writes,
      );
    return;
  }
  const hasDependents = api.store.dependentsOf(object.metadata.uid).length > 0;
  const isWaitedFor = owners.some(({ state }) => state === 'waiting');
  const propagationPolicy =
    isWaitedFor && hasDependents ? 'Foreground' : policyOfFinalizers(finalizers);
  writes.delete(type, object, { propagationPolicy });
}

function policyOfFinalizers(finalizers: readonly string[]) {
  if (finalizers.includes(orphan)) return 'Orphan';
  return finalizers.includes(foreground) ? 'Foreground' : 'Background';
}

/** `waiting`: it is deleted in the foreground and stays until its dependents are gone. */
function ownerState(
  { uid, apiVersion, kind, name }: OwnerReference,
  { metadata }: KubeObject,
  store: ObjectStore,
): 'solid' | 'absent' | 'waiting' {
  const owner = store.byUid(uid);
  if (owner === undefined) return 'absent';
  const { type, object } = owner;
  const isSame =
    object.metadata.name === name && type.kind === kind && groupOf(apiVersion) === type.group;
  // Owners live in the same namespace or in none (pkg/controller/garbagecollector, coordinates).
  const isNear = !type.namespaced || object.metadata.namespace === metadata.namespace;
  if (!isSame || !isNear) return metadata.namespace === undefined ? 'solid' : 'absent';
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  return deletionTimestamp !== undefined && finalizers.includes(foreground) ? 'waiting' : 'solid';
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

function dropOwners({ type, object }: Located, uids: readonly string[], writes: Writes): void {
  const kept = object.metadata.ownerReferences?.filter(({ uid }) => !uids.includes(uid)) ?? [];
  if (kept.length === object.metadata.ownerReferences?.length) return;
  writes.update(type, { ...object, metadata: { ...object.metadata, ownerReferences: kept } });
}
