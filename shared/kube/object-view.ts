/**
 * What one process knows of one resource, from a reflector (list and watch) and its own writes.
 *
 * V1 Per namespace and name there is one object: the newest seen from either source.
 * V2 What is news is for the reflector's ledger to say, which knows of no own write: a change is reported
 *    by list and watch whether or not an own write put it here before.
 * V3 A late write response does not bring a deleted object back: what the watch has passed and does
 *    not hold is gone.
 * V4 An object that an own delete removed does not come back by what the watch reports of its past.
 * V5 Not synced until the first list has been taken in whole.
 * V6 Versions are compared within one history only: starting over forgets all of them at once.
 * V7 When the watch has reported an own write, it has reported all that was committed before that was sent.
 * V8 Of an object with an owner that is gone a trace is kept (trace.ts), so that what was there for a moment only
 *    is not taken for what never was.
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

/** The reading side; what readers and indexes depend on. */
export interface View {
  readonly synced: boolean;
  get(namespace: string, name: string): KubeObject | undefined;
  /** Everything held, in no particular order. */
  values(): Iterable<KubeObject>;
  /** Objects whose controller has this uid, in no particular order. */
  listByOwner(uid: Uid): readonly KubeObject[];
  /** Objects that carry this uid as their owner label, whatever controls them, in no particular order. */
  listByRoot(uid: Uid): readonly KubeObject[];
  /**
   * All that was committed until then is held, by the clock that own writes were timed with; -Infinity
   * where no own write has shown it yet.
   */
  readonly currentAsOfMs: number;
  /** Traces of such objects that are held no more, of the latest of them; a name that is taken leaves none. */
  removedByOwner(uid: Uid): readonly string[];
  /** Each removal that is still asked for has its trace there. */
  readonly remembersRemovals: boolean;
}

/** Where the answers to a process's own requests are put so that it need not wait for the watch. */
export interface WriteView {
  /**
   * `committedAfterMs`: the version was committed by this very request, sent then. Absent: it may be
   * older than the request. What is returned is waited for before the answer is given on.
   */
  write(object: KubeObject, committedAfterMs?: number): void | Promise<void>;
  refresh(object: KubeObject): void;
  forget(namespace: string, name: string, uid: Uid | undefined): void;
}

export interface ViewEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/** Keeps of an object only what decisions need. Its identity, version and owners must stay. */
export type Project = (object: KubeObject) => KubeObject;

export class ObjectView implements View, WriteView {
  readonly #project: Project;
  readonly #entries = new Map<string, KubeObject>();
  readonly #byController = new KeysByUid();
  readonly #byRoot = new KeysByUid();
  /** The version up to which list and watch have told everything. */
  #passed: ResourceVersion | undefined;
  #synced = false;
  /** Removed by own deletes that the watch has not reported yet, with the version held then (V4). */
  readonly #forgotten = new Map<Uid, ResourceVersion>();
  readonly #removed: RemovedTraces;
  readonly #echoes = new WriteEchoes();

  /**
   * `project`: of the answers to own requests; what list and watch tell comes projected by the reflector. `nowMs`:
   * monotonic. Without a clock traces that had to be forgotten stay in doubt.
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
    return [...this.#removed.of(uid)].flatMap(([key, trace]) =>
      this.#entries.has(key) ? [] : [trace],
    );
  }

  get remembersRemovals(): boolean {
    return this.#removed.isWhole;
  }

  /** Everything held, in no particular order. */
  *values(): IterableIterator<KubeObject> {
    yield* this.#entries.values();
  }

  /** Takes in one line of the watch that is newer than what list and watch have told. */
  apply({ type, object }: ViewEvent): void {
    this.progress(object.metadata.resourceVersion);
    const key = keyOfObject(object);
    if (type === 'DELETED') {
      this.#forgotten.delete(object.metadata.uid);
      if (this.#holdsSame(key, object)) this.#drop(key);
      return;
    }
    if (!this.#forgotten.has(object.metadata.uid)) this.#tell(key, object);
  }

  /** A bookmark: the watch has told everything up to this version. */
  progress(version: ResourceVersion): void {
    this.#passed = version;
    this.#echoes.heard(version);
  }

  get currentAsOfMs(): number {
    return this.#echoes.currentAsOfMs;
  }

  /**
   * Takes in a complete list, and returns what was held and is not in it. An own write that is newer
   * than `listedAt`, its version, survives it.
   */
  replace(items: readonly KubeObject[], listedAt: ResourceVersion): readonly KubeObject[] {
    const dropped = this.#dropAbsent(items, listedAt);
    for (const item of items) {
      const { uid, resourceVersion } = item.metadata;
      if (this.#forgotten.has(uid)) continue;
      const key = keyOfObject(item);
      // The object that is held is the one that the ledger holds too.
      if (this.#entries.get(key)?.metadata.resourceVersion === resourceVersion) continue;
      this.#tell(key, item);
    }
    this.progress(listedAt);
    this.#synced = true;
    return dropped;
  }

  /**
   * Takes in a complete list of another history (etcd restored from a backup). Versions of the former
   * one mean nothing any more, those of own writes and deletes included.
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

  /** Takes in the answer to an own write, unless something newer is known already (V1, V3). */
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
   * Takes in the answer to an own read of an object that is held. One that is not held may be of no
   * concern to list and watch, which would then never remove it.
   */
  refresh(object: KubeObject): void {
    if (this.#holdsSame(keyOfObject(object), object)) this.write(object);
  }

  /** An own delete removed the object with this uid (any, when undefined) at once. */
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
      // A list from before that version may be from before its creation, which the watch then tells.
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

  /** Takes in what list or watch told, unless an own write is newer. */
  #tell(key: string, object: KubeObject): void {
    const held = this.#entries.get(key)?.metadata.resourceVersion;
    if (held === undefined || !isNewer(held, object.metadata.resourceVersion)) {
      this.#put(key, object);
    }
  }

  #put(key: string, object: KubeObject): void {
    this.#remove(key);
    this.#entries.set(key, object);
    this.#byController.add(ownerOf(object), key);
    this.#byRoot.add(rootOf(object), key);
  }

  #at(keys: Iterable<string>): readonly KubeObject[] {
    return [...keys].flatMap((key) => this.#entries.get(key) ?? []);
  }

  /** It is gone, and nothing has come in its place. */
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

/** An index of the entries by a uid that some of them have. */
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

/** A slash is in neither a namespace nor a name. */
function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function ownerOf(object: KubeObject | undefined): Uid | undefined {
  return object === undefined ? undefined : controllerOf(object.metadata)?.uid;
}
