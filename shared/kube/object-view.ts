/**
 * One process's knowledge of one resource, from a reflector (list and watch) and its own writes.
 *
 * view-1 There is one object per namespace and name: the newest seen from either source.
 * view-2 The reflector's ledger decides what is news, without own writes. A change is reported by list and watch even
 *    if an own write put it here before.
 * view-3 A late write response does not bring a deleted object back. An object that the watch has passed and that is
 *    not held is gone.
 * view-4 An object that an own delete removed does not come back by older watch events.
 * view-5 Not synced until the first list has been taken in whole.
 * view-6 Versions are compared within one history only: starting over forgets all of them at once.
 * view-7 When the watch has reported an own write, it has reported everything committed before that write was sent.
 * view-8 A deleted object with an owner leaves a trace (trace.ts), so that a short-lived one does not look as if it
 *    had never existed.
 */
import {
  controllerOf,
  type KubeObject,
  objectName,
  type ResourceVersion,
  type Uid,
} from '#shared/domain/objects.ts';
import { traceOf } from '#shared/domain/trace.ts';
import { rootOf } from '#shared/domain/root-of.ts';
import { RemovedTraces } from './removed-traces.ts';
import { isKnownBy, isNewer } from '#shared/domain/resource-version.ts';
import { WriteEchoes } from './write-echoes.ts';

/** The reading side, for readers and indexes. */
export interface View {
  readonly synced: boolean;
  get(namespace: string, name: string): KubeObject | undefined;
  /** All objects, in no particular order. */
  values(): Iterable<KubeObject>;
  /** Objects whose controller has this uid, in no particular order. */
  listByOwner(uid: Uid): readonly KubeObject[];
  /** Objects that carry this uid as their owner label, with any controller, in no particular order. */
  listByRoot(uid: Uid): readonly KubeObject[];
  /**
   * The view holds everything that was committed until then, by the clock that timed own writes. -Infinity: no own
   * write has shown it yet.
   */
  readonly currentAsOfMs: number;
  /** Traces of this owner's latest deleted objects, without those that an object has again. */
  removedByOwner(uid: Uid): readonly string[];
  /** Every removal that may still be asked for has a trace. */
  readonly remembersRemovals: boolean;
}

/** Takes the answers to a process's own requests, so that it need not wait for the watch. */
export interface WriteView {
  /**
   * `committedAfterMs`: when the request that committed this version was sent. Absent: the version may be older
   * than the request. The returned promise is awaited before the answer is passed on.
   */
  write(object: KubeObject, committedAfterMs?: number): void | Promise<void>;
  refresh(object: KubeObject): void;
  forget(namespace: string, name: string, uid: Uid | undefined): void;
}

export interface ViewEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/** Keeps only what decisions need. Identity, version and owners must stay. */
export type Project = (object: KubeObject) => KubeObject;

export class ObjectView implements View, WriteView {
  readonly #project: Project;
  readonly #entries = new Map<string, KubeObject>();
  readonly #byController = new KeysByUid();
  readonly #byRoot = new KeysByUid();
  /** List and watch have reported everything up to this version. */
  #passed: ResourceVersion | undefined;
  #synced = false;
  /** Removed by own deletes that the watch has not reported yet, with the version at that time (view-4). */
  readonly #forgotten = new Map<Uid, ResourceVersion>();
  readonly #removed: RemovedTraces;
  readonly #echoes = new WriteEchoes();

  /**
   * `project` applies to answers to own requests; the reflector projects what list and watch report. `nowMs`:
   * monotonic. Without a clock, dropped traces stay in doubt.
   */
  constructor(project: Project = (object) => object, nowMs: () => number = () => 0) {
    this.#project = project;
    this.#removed = new RemovedTraces(nowMs);
  }

  get synced(): boolean {
    return this.#synced;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#entries.get(keyOf(namespace, name));
  }

  listByOwner(uid: Uid): readonly KubeObject[] {
    return this.#at(this.#byController.of(uid));
  }

  listByRoot(uid: Uid): readonly KubeObject[] {
    return this.#at(this.#byRoot.of(uid));
  }

  removedByOwner(uid: Uid): readonly string[] {
    return [...this.#removed.of(uid)].flatMap(([trace, key]) => {
      const held = this.#entries.get(key);
      return held !== undefined && traceOf(held.metadata) === trace ? [] : [trace];
    });
  }

  get remembersRemovals(): boolean {
    return this.#removed.isWhole;
  }

  /** All objects, in no particular order. */
  *values(): IterableIterator<KubeObject> {
    yield* this.#entries.values();
  }

  /** Takes in one watch event that is newer than what list and watch have reported. */
  apply({ type, object }: ViewEvent): void {
    this.progress(object.metadata.resourceVersion);
    const key = keyOfObject(object);
    if (type === 'DELETED') {
      this.#forgotten.delete(object.metadata.uid);
      if (this.#holdsSame(key, object)) this.#drop(key);
      return;
    }
    if (!this.#forgotten.has(object.metadata.uid)) this.#takeIn(key, object);
  }

  /** A bookmark: the watch has reported everything up to this version. */
  progress(version: ResourceVersion): void {
    this.#passed = version;
    this.#echoes.heard(version);
  }

  get currentAsOfMs(): number {
    return this.#echoes.currentAsOfMs;
  }

  /**
   * Takes in a complete list and returns the objects that were held and are not in it. An own write that is newer
   * than the list's version `listedAt` stays.
   */
  replace(items: readonly KubeObject[], listedAt: ResourceVersion): readonly KubeObject[] {
    const dropped = this.#dropAbsent(items, listedAt);
    for (const item of items) {
      const { uid, resourceVersion } = item.metadata;
      if (this.#forgotten.has(uid)) continue;
      const key = keyOfObject(item);
      // The held object is the same as the ledger's.
      if (this.#entries.get(key)?.metadata.resourceVersion === resourceVersion) continue;
      this.#takeIn(key, item);
    }
    this.progress(listedAt);
    this.#synced = true;
    return dropped;
  }

  /**
   * Takes in a complete list of another history (etcd restored from a backup). Versions of the former history are
   * dropped, including those of own writes and deletes.
   */
  startOver(items: readonly KubeObject[], listedAt: ResourceVersion): void {
    this.#entries.clear();
    this.#byController.clear();
    this.#byRoot.clear();
    this.#forgotten.clear();
    this.#removed.clear();
    this.#echoes.clear();
    this.replace(items, listedAt);
  }

  /** Takes in the answer to an own write, unless a newer version is known (view-1, view-3). */
  write(object: KubeObject, committedAfterMs?: number): void {
    const { resourceVersion } = object.metadata;
    if (committedAfterMs !== undefined) {
      this.#echoes.await(resourceVersion, committedAfterMs, this.#passed);
    }
    if (this.#forgotten.has(object.metadata.uid)) return;
    const key = keyOfObject(object);
    const known = this.#entries.get(key)?.metadata.resourceVersion ?? this.#passed;
    if (known !== undefined && isKnownBy(resourceVersion, known)) return;
    this.#put(key, this.#project(object));
  }

  /**
   * Takes in the answer to an own read of an object that is held. Others may be outside the scope of list and
   * watch, which would then never remove them.
   */
  refresh(object: KubeObject): void {
    if (this.#holdsSame(keyOfObject(object), object)) this.write(object);
  }

  /** An own delete has removed the object with this uid (undefined: any uid). */
  forget(namespace: string, name: string, uid: Uid | undefined): void {
    const key = keyOf(namespace, name);
    const held = this.#entries.get(key)?.metadata;
    if (held === undefined || (uid !== undefined && held.uid !== uid)) return;
    this.#forgotten.set(held.uid, held.resourceVersion);
    this.#drop(key);
  }

  #dropAbsent(items: readonly KubeObject[], listedAt: ResourceVersion): readonly KubeObject[] {
    const listed = new Set(items.map((item) => item.metadata.uid));
    for (const [uid, version] of this.#forgotten) {
      // A list from before that version may predate its creation, which the watch then reports.
      if (!listed.has(uid) && !isNewer(version, listedAt)) this.#forgotten.delete(uid);
    }
    const dropped: KubeObject[] = [];
    for (const [key, object] of this.#entries) {
      const { uid, resourceVersion } = object.metadata;
      if (listed.has(uid) || isNewer(resourceVersion, listedAt)) continue;
      dropped.push(object);
      this.#drop(key);
    }
    return dropped;
  }

  #holdsSame(key: string, object: KubeObject): boolean {
    return this.#entries.get(key)?.metadata.uid === object.metadata.uid;
  }

  /** Takes in what list or watch reported, unless an own write is newer. */
  #takeIn(key: string, object: KubeObject): void {
    const held = this.#entries.get(key)?.metadata.resourceVersion;
    if (held === undefined || !isNewer(held, object.metadata.resourceVersion)) {
      this.#put(key, object);
    }
  }

  #put(key: string, object: KubeObject): void {
    if (this.#entries.get(key)?.metadata.uid === object.metadata.uid) this.#remove(key);
    else this.#drop(key);
    this.#entries.set(key, object);
    this.#byController.add(ownerOf(object), key);
    this.#byRoot.add(rootOf(object), key);
  }

  #at(keys: Iterable<string>): readonly KubeObject[] {
    return [...keys].flatMap((key) => this.#entries.get(key) ?? []);
  }

  /** The object is gone. Another may have its name. */
  #drop(key: string): void {
    const dropped = this.#entries.get(key);
    const owner = ownerOf(dropped);
    if (dropped !== undefined && owner !== undefined) {
      this.#removed.add(owner, key, traceOf(dropped.metadata));
    }
    this.#remove(key);
  }

  #remove(key: string): void {
    const held = this.#entries.get(key);
    if (held === undefined) return;
    this.#entries.delete(key);
    this.#byController.remove(ownerOf(held), key);
    this.#byRoot.remove(rootOf(held), key);
  }
}

/** An index of entries by a uid that some of them have. */
class KeysByUid {
  readonly #keys = new Map<Uid, Set<string>>();

  of(uid: Uid): Iterable<string> {
    return this.#keys.get(uid) ?? [];
  }

  add(uid: Uid | undefined, key: string): void {
    if (uid === undefined) return;
    const keys = this.#keys.get(uid);
    if (keys === undefined) this.#keys.set(uid, new Set([key]));
    else keys.add(key);
  }

  remove(uid: Uid | undefined, key: string): void {
    if (uid === undefined) return;
    const keys = this.#keys.get(uid);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(uid);
  }

  clear(): void {
    this.#keys.clear();
  }
}

function keyOfObject(object: KubeObject): string {
  const { namespace, name } = objectName(object.metadata);
  return keyOf(namespace, name);
}

/** Neither a namespace nor a name contains a slash. */
function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function ownerOf(object: KubeObject | undefined): Uid | undefined {
  return object === undefined ? undefined : controllerOf(object.metadata)?.uid;
}
