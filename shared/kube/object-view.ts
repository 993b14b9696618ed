/**
 * What one process knows of one resource, from a reflector (list and watch) and its own writes.
 *
 * V1 Per namespace and name there is one object: the newest seen from either source.
 * V2 Own writes are invisible to the reflector's side: a change counts as news when list or watch
 *    tells it for the first time, whether or not an own write put it here before.
 * V3 A late write response does not bring a deleted object back: what the watch has passed and does
 *    not hold is gone.
 * V4 An object that an own delete removed does not come back by what the watch tells of its past.
 * V5 Not synced until the first list has been taken in whole.
 * V6 Versions are compared within one history only: starting over forgets all of them at once.
 */
import {
  controllerOf,
  type KubeObject,
  objectName,
  type ResourceVersion,
  type Uid,
} from '#shared/domain/objects.ts';
import { isKnownBy, isNewer } from './resource-version.ts';

/** The reading side; what readers and indexes depend on. */
export interface View {
  readonly synced: boolean;
  get(namespace: string, name: string): KubeObject | undefined;
  /** Everything held, in no particular order. */
  values(): Iterable<KubeObject>;
  /** Objects whose controller has this uid, in no particular order. */
  listByOwner(uid: Uid): readonly KubeObject[];
}

/** Where the answers to a process's own requests are put so that it need not wait for the watch. */
export interface WriteView {
  write(object: KubeObject): void;
  refresh(object: KubeObject): void;
  forget(namespace: string, name: string, uid: Uid | undefined): void;
}

/** What a list changed against what list and watch had told before. Objects are as projected. */
export interface ViewDifference {
  readonly added: readonly KubeObject[];
  /** Same uid, other resourceVersion. */
  readonly changed: readonly KubeObject[];
  /** Held before, now absent or another uid under the same name; as last known. */
  readonly gone: readonly KubeObject[];
}

export interface ViewEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/** Keeps of an object only what decisions need. Its identity, version and owners must stay. */
export type Project = (object: KubeObject) => KubeObject;

interface Entry {
  readonly object: KubeObject;
  /** The version that list or watch told last; undefined while only an own write is known (V2). */
  readonly told: ResourceVersion | undefined;
}

export class ObjectView implements View, WriteView {
  readonly #project: Project;
  readonly #entries = new Map<string, Entry>();
  readonly #keysByOwner = new Map<Uid, Set<string>>();
  /** The newest version up to which list and watch have told everything. */
  #passed: ResourceVersion | undefined;
  #synced = false;
  /** Removed by own deletes that the watch has not told of yet, with the version held then (V4). */
  readonly #forgotten = new Map<Uid, ResourceVersion>();

  constructor(project: Project = (object) => object) {
    this.#project = project;
  }

  get synced(): boolean {
    return this.#synced;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#entries.get(keyOf(namespace, name))?.object;
  }

  listByOwner(uid: Uid): readonly KubeObject[] {
    const keys = this.#keysByOwner.get(uid) ?? [];
    return [...keys].flatMap((key) => this.#entries.get(key)?.object ?? []);
  }

  /** Everything held, in no particular order. */
  *values(): IterableIterator<KubeObject> {
    for (const { object } of this.#entries.values()) yield object;
  }

  /** Takes in one line of the watch. Returns whether the watch had not told it before (V2). */
  apply(event: ViewEvent): boolean {
    const { object } = event;
    const { resourceVersion } = object.metadata;
    this.progress(resourceVersion);
    const key = keyOfObject(object);
    const held = this.#heldSame(key, object);
    if (event.type === 'DELETED') {
      this.#forgotten.delete(object.metadata.uid);
      if (held !== undefined) this.#remove(key);
      return true;
    }
    if (held?.told !== undefined && isKnownBy(resourceVersion, held.told)) return false;
    if (!this.#forgotten.has(object.metadata.uid)) this.#tell(key, object);
    return true;
  }

  /** A bookmark: the watch has told everything up to this version. */
  progress(version: ResourceVersion): void {
    if (this.#passed === undefined || !isKnownBy(version, this.#passed)) this.#passed = version;
  }

  /**
   * Takes in a complete list and returns what it changed. An own write that is newer than
   * `listedAt`, the version of the list, survives it.
   */
  replace(items: readonly KubeObject[], listedAt: ResourceVersion): ViewDifference {
    const gone = this.#dropAbsent(items, listedAt);
    const added: KubeObject[] = [];
    const changed: KubeObject[] = [];
    for (const item of items) {
      const key = keyOfObject(item);
      if (this.#forgotten.has(item.metadata.uid)) continue;
      const told = this.#heldSame(key, item)?.told;
      if (told === item.metadata.resourceVersion) continue;
      (told === undefined ? added : changed).push(this.#tell(key, item));
    }
    this.#passed = listedAt;
    this.#synced = true;
    return { added, changed, gone };
  }

  /**
   * Takes in a complete list of another history (etcd restored from a backup). Versions of the former
   * one mean nothing any more, those of own writes and deletes included.
   */
  startOver(items: readonly KubeObject[], listedAt: ResourceVersion): void {
    this.#entries.clear();
    this.#keysByOwner.clear();
    this.#forgotten.clear();
    this.replace(items, listedAt);
  }

  /** Takes in the answer to an own write, unless something newer is known already (V1, V3). */
  write(object: KubeObject): void {
    if (this.#forgotten.has(object.metadata.uid)) return;
    const key = keyOfObject(object);
    const held = this.#entries.get(key);
    const known = held?.object.metadata.resourceVersion ?? this.#passed;
    if (known !== undefined && isKnownBy(object.metadata.resourceVersion, known)) return;
    this.#put(key, object, this.#heldSame(key, object)?.told);
  }

  /**
   * Takes in the answer to an own read of an object that is held. One that is not held may be of no
   * concern to list and watch, which would then never remove it.
   */
  refresh(object: KubeObject): void {
    if (this.#heldSame(keyOfObject(object), object) !== undefined) this.write(object);
  }

  /** An own delete removed the object with this uid (any, when undefined) at once. */
  forget(namespace: string, name: string, uid: Uid | undefined): void {
    const key = keyOf(namespace, name);
    const held = this.#entries.get(key)?.object.metadata;
    if (held === undefined || (uid !== undefined && held.uid !== uid)) return;
    this.#forgotten.set(held.uid, held.resourceVersion);
    this.#remove(key);
  }

  #dropAbsent(items: readonly KubeObject[], listedAt: ResourceVersion): readonly KubeObject[] {
    const listed = new Set(items.map((item) => item.metadata.uid));
    for (const [uid, version] of this.#forgotten) {
      // A list from before that version may be from before its creation, which the watch then tells.
      if (!listed.has(uid) && !isNewer(version, listedAt)) this.#forgotten.delete(uid);
    }
    const gone: KubeObject[] = [];
    for (const [key, { object }] of this.#entries) {
      const { uid, resourceVersion } = object.metadata;
      if (listed.has(uid) || isNewer(resourceVersion, listedAt)) continue;
      this.#remove(key);
      gone.push(object);
    }
    return gone;
  }

  #heldSame(key: string, object: KubeObject): Entry | undefined {
    const held = this.#entries.get(key);
    return held?.object.metadata.uid === object.metadata.uid ? held : undefined;
  }

  /** Notes what list or watch told; keeps a newer own write. Returns the object as projected. */
  #tell(key: string, object: KubeObject): KubeObject {
    const { uid, resourceVersion } = object.metadata;
    const held = this.#entries.get(key);
    if (held === undefined || !isNewer(held.object.metadata.resourceVersion, resourceVersion)) {
      return this.#put(key, object, resourceVersion);
    }
    if (held.object.metadata.uid === uid) {
      this.#entries.set(key, { object: held.object, told: resourceVersion });
    }
    return this.#project(object);
  }

  #put(key: string, object: KubeObject, told: ResourceVersion | undefined): KubeObject {
    this.#remove(key);
    const projected = this.#project(object);
    this.#entries.set(key, { object: projected, told });
    const owner = controllerOf(projected.metadata)?.uid;
    if (owner === undefined) return projected;
    const siblings = this.#keysByOwner.get(owner);
    if (siblings === undefined) this.#keysByOwner.set(owner, new Set([key]));
    else siblings.add(key);
    return projected;
  }

  #remove(key: string): void {
    const held = this.#entries.get(key);
    if (held === undefined) return;
    this.#entries.delete(key);
    const owner = controllerOf(held.object.metadata)?.uid;
    if (owner === undefined) return;
    const siblings = this.#keysByOwner.get(owner);
    siblings?.delete(key);
    if (siblings?.size === 0) this.#keysByOwner.delete(owner);
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
