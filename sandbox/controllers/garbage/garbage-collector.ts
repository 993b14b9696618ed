/**
 * The garbage collector (pkg/controller/garbagecollector): deletes an object when none of its owners is left. Owners
 * are identified by uid, so another object with an owner's name is not the owner.
 *
 * Background: the owner goes first, its dependents follow. Foreground: dependents that block go
 * first, then the finalizer `foregroundDeletion` comes off. Orphan: the references come off first,
 * then the finalizer `orphan`.
 *
 * An owner of a kind that is not served cannot be looked up, so what names it stays. An owner that was
 * seen to go is known to be gone, whatever became of its kind (absentOwnerCache).
 */
import { groupVersionOf, type KubeObject, type OwnerReference } from '#shared/domain/objects.ts';
import type { Located } from '../../store/owner-index.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerApi, ControllerContext } from '../controller.ts';
import { Writes } from '../writes.ts';

const foreground = 'foregroundDeletion';
const orphan = 'orphan';

const mostRemembered = 10_000;
const nextLookMs = 30_000;

export class GarbageCollector implements Controller {
  readonly name = 'garbage-collector';
  /** Uids of the latest deleted objects. */
  readonly #gone = new Set<string>();

  keysFor({ type, object, old }: StoreEvent): readonly string[] {
    const { uid, ownerReferences = [], deletionTimestamp } = object.metadata;
    const owners = old?.metadata.ownerReferences ?? [];
    if (type === 'DELETED') {
      this.#remember(uid);
      return [`owner ${uid}`, ...waitingOwners([...owners, ...ownerReferences])];
    }
    const keys = deletionTimestamp === undefined ? [] : [`owner ${uid}`];
    if (old?.metadata.ownerReferences === ownerReferences) return keys;
    // A removed reference may have been the last one that its owner waited for.
    if (ownerReferences.length > 0) keys.push(`dependent ${uid}`);
    return [...keys, ...waitingOwners(owners)];
  }

  reconcile(key: string, { api, clock }: ControllerContext): number | undefined {
    const [role = '', uid = ''] = key.split(' ');
    const found = api.store.byUid(uid);
    const known = { api, gone: this.#gone };
    if (role === 'dependent') {
      // The owner's kind may be served later.
      return found === undefined || collect(found, known) ? undefined : clock.now() + nextLookMs;
    }
    if (found === undefined) {
      for (const dependent of api.store.dependentsOf(uid)) collect(dependent, known);
    } else {
      releaseDependents(found, known);
    }
    return undefined;
  }

  #remember(uid: string): void {
    this.#gone.add(uid);
    const [oldest] = this.#gone;
    if (this.#gone.size > mostRemembered && oldest !== undefined) this.#gone.delete(oldest);
  }
}

/** The state of an owner. */
interface Known {
  readonly api: ControllerApi;
  readonly gone: ReadonlySet<string>;
}

function waitingOwners(references: readonly OwnerReference[]): readonly string[] {
  return [...new Set(references.map(({ uid }) => `owner ${uid}`))];
}

/** For an owner in deletion that has a finalizer of the garbage collector. */
function releaseDependents({ type, object }: Located, known: Known): void {
  const { api } = known;
  const { uid, finalizers = [], deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined) return;
  const writes = new Writes(api, 'kube-controller-manager');
  const dependents = api.store.dependentsOf(uid);
  if (finalizers.includes(orphan)) {
    for (const dependent of dependents) dropOwners(dependent, [uid], writes);
    writes.removeFinalizer(type, object, orphan);
  } else if (finalizers.includes(foreground)) {
    for (const dependent of dependents) collect(dependent, known);
    const isBlocked = api.store
      .dependentsOf(uid)
      .some(({ object: { metadata } }) =>
        metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
      );
    if (!isBlocked) writes.removeFinalizer(type, object, foreground);
  }
}

/** Deletes an object without owners, and removes references to missing owners. False: some owner cannot be judged. */
function collect(item: Located, known: Known): boolean {
  const { api } = known;
  const { type, object } = item;
  const { ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp !== undefined || ownerReferences.length === 0) return true;
  const owners = ownerReferences.map((reference) => ({
    reference,
    state: ownerState(reference, object, known),
  }));
  if (owners.some(({ state }) => state === 'unknown')) return false;
  const writes = new Writes(api, 'kube-controller-manager');
  if (owners.some(({ state }) => state === 'solid')) {
    const vain = owners.filter(({ state }) => state !== 'solid');
    if (vain.length > 0)
      dropOwners(
        item,
        vain.map(({ reference }) => reference.uid),
        writes,
      );
    return true;
  }
  const hasDependents = api.store.dependentsOf(object.metadata.uid).length > 0;
  const isWaitedFor = owners.some(({ state }) => state === 'waiting');
  const propagationPolicy =
    isWaitedFor && hasDependents ? 'Foreground' : policyOfFinalizers(finalizers);
  writes.delete(type, object, { propagationPolicy });
  return true;
}

function policyOfFinalizers(finalizers: readonly string[]) {
  if (finalizers.includes(orphan)) return 'Orphan';
  return finalizers.includes(foreground) ? 'Foreground' : 'Background';
}

/** `waiting`: in foreground deletion, until its dependents are gone. `unknown`: its kind is not served. */
function ownerState(
  { uid, apiVersion, kind, name }: OwnerReference,
  { metadata }: KubeObject,
  { api, gone }: Known,
): 'solid' | 'absent' | 'waiting' | 'unknown' {
  if (gone.has(uid)) return 'absent';
  if (!isServed(apiVersion, kind, api)) return 'unknown';
  const owner = api.store.byUid(uid);
  if (owner === undefined) return 'absent';
  const { type, object } = owner;
  const isSame =
    object.metadata.name === name &&
    type.kind === kind &&
    groupVersionOf(apiVersion).group === type.group;
  // An owner is in the same namespace or cluster-scoped (pkg/controller/garbagecollector, coordinates).
  const isNear = !type.namespaced || object.metadata.namespace === metadata.namespace;
  if (!isSame || !isNear) return metadata.namespace === undefined ? 'solid' : 'absent';
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  return deletionTimestamp !== undefined && finalizers.includes(foreground) ? 'waiting' : 'solid';
}

function isServed(apiVersion: string, kind: string, { types }: ControllerApi): boolean {
  const { group, version } = groupVersionOf(apiVersion);
  return types.byKind(group, version, kind) !== undefined;
}

function dropOwners({ type, object }: Located, uids: readonly string[], writes: Writes): void {
  const kept = object.metadata.ownerReferences?.filter(({ uid }) => !uids.includes(uid)) ?? [];
  if (kept.length === object.metadata.ownerReferences?.length) return;
  writes.update(type, { ...object, metadata: { ...object.metadata, ownerReferences: kept } });
}
