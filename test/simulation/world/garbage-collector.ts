/** Deletes objects without an owner, those in foreground deletion, and Jobs past their TTL. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseTime, rfc3339 } from '#shared/domain/time.ts';
import type { Clock } from '#shared/domain/clock.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import type { SeededRandom } from '../seeded-random.ts';
import type { Life, Timeline } from './timeline.ts';

export interface GarbageCollectorOptions {
  readonly store: ObjectStore;
  readonly timeline: Timeline;
  readonly life: Life;
  readonly clock: Clock;
  readonly random: SeededRandom;
}

const foreground = 'foregroundDeletion';

export class GarbageCollector {
  readonly #options: GarbageCollectorOptions;

  constructor(options: GarbageCollectorOptions) {
    this.#options = options;
  }

  onChange({ type, object }: StoreEvent): void {
    const { uid, deletionTimestamp, ownerReferences } = object.metadata;
    if (type === 'DELETED') {
      for (const dependent of this.#options.store.dependentsOf(uid)) this.#look(dependent.object);
      for (const owner of ownerReferences ?? []) this.#lookAtOwner(owner.uid);
      return;
    }
    if (type === 'ADDED' && ownerReferences !== undefined) this.#look(object);
    if (deletionTimestamp !== undefined) this.#look(object);
    if (endOf(object) !== undefined && ttlOf(object) !== undefined) this.#expire(object);
  }

  /** Its clock was wrong and has been set right, so its waits are computed again. */
  reckonAgain(): void {
    for (const job of this.#options.store.list(resources.Job)) {
      if (endOf(job) !== undefined && ttlOf(job) !== undefined) this.#expire(job);
    }
  }

  #lookAtOwner(uid: string): void {
    const owner = this.#options.store.byUid(uid);
    if (owner?.object.metadata.deletionTimestamp !== undefined) this.#look(owner.object);
  }

  #look(object: KubeObject): void {
    const { timeline, life, random, store } = this.#options;
    const { uid, name } = object.metadata;
    timeline.after(random.between(1, 400), life, `garbage collector ${name}`, () => {
      const now = store.byUid(uid);
      if (now === undefined) return;
      const { metadata } = now.object;
      if (metadata.deletionTimestamp !== undefined) this.#finishDeletion(now.object);
      else if (isOrphan(store, now.object)) this.#remove(now.object);
    });
  }

  #finishDeletion(object: KubeObject): void {
    const { store } = this.#options;
    if (object.metadata.finalizers?.includes(foreground) !== true) return;
    const blocking = store.dependentsOf(object.metadata.uid);
    for (const dependent of blocking) this.#remove(dependent.object);
    if (blocking.length === 0) this.#remove(object);
  }

  #expire(object: KubeObject): void {
    const { timeline, life, clock, store } = this.#options;
    const { uid, name } = object.metadata;
    const dueMs = endOf(object)! + ttlOf(object)! * 1_000;
    timeline.after(dueMs - clock.now() + 1, life, `time to live ${name}`, () => {
      const now = store.byUid(uid)?.object;
      // Its TTL may have been removed meanwhile.
      if (now === undefined || endOf(now) === undefined || ttlOf(now) === undefined) return;
      // The clock was set back, or runs slower than true time.
      if (clock.now() < dueMs) this.#expire(now);
      else this.#remove(now);
    });
  }

  /** Other finalizers keep it, in deletion. */
  #remove(object: KubeObject): void {
    const { store, clock } = this.#options;
    const { uid, namespace = '', name, deletionTimestamp } = object.metadata;
    const type = store.byUid(uid)?.type;
    if (type === undefined) return;
    const finalizers = object.metadata.finalizers?.filter((each) => each !== foreground) ?? [];
    if (finalizers.length === 0) store.remove(type, namespace, name);
    else if (deletionTimestamp === undefined) {
      const gone = { finalizers, deletionTimestamp: rfc3339(clock.now()) };
      store.put(type, { ...object, metadata: { ...object.metadata, ...gone } });
    }
  }
}

function isOrphan(store: ObjectStore, { metadata }: KubeObject): boolean {
  const owners = metadata.ownerReferences ?? [];
  return owners.length > 0 && owners.every(({ uid }) => store.byUid(uid) === undefined);
}

function ttlOf({ kind, spec }: KubeObject): number | undefined {
  if (kind !== 'Job') return undefined;
  return (spec as { readonly ttlSecondsAfterFinished?: number }).ttlSecondsAfterFinished;
}

function endOf({ kind, status }: KubeObject): number | undefined {
  if (kind !== 'Job') return undefined;
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime: string }[];
  };
  const end = conditions.find(({ type }) => type === 'Complete' || type === 'Failed');
  return parseTime(end?.lastTransitionTime);
}
