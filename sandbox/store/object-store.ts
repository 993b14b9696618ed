/**
 * All objects of the sandbox, by type, namespace and name, under one counter of revisions.
 *
 * object-store-1 Every write has the next revision, which becomes the object's resourceVersion, as
 *    in etcd.
 * object-store-2 Stored objects are frozen. A new state shares unchanged parts with the old one.
 * object-store-3 Listeners are called in the order of revisions, even if a listener writes.
 */
import { asResourceVersion, type KubeObject, type Resource } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { frozen } from './frozen.ts';
import { History } from './history.ts';
import { OwnerIndex, type Located } from './owner-index.ts';
import { SortedMap } from './sorted-map.ts';
import type { StoreEvent } from './store-event.ts';

export type { StoreEvent } from './store-event.ts';

export type StoreListener = (event: StoreEvent) => void;

type TypeName = Pick<Resource, 'group' | 'plural'>;
type Bucket = SortedMap<SortedMap<KubeObject>>;

export class ObjectStore {
  readonly history: History;
  #revision = 1;
  /** By plural, then by group, so that a look-up need not build a key. */
  readonly #buckets = new Map<string, Map<string, Bucket>>();
  readonly #owners = new OwnerIndex();
  readonly #listeners = new Set<StoreListener>();
  #undelivered: StoreEvent[] = [];
  #isDelivering = false;

  /** `historySize`: the number of latest events that are kept for watches and consistent lists. */
  constructor(historySize: number) {
    this.history = new History(historySize, this.#revision);
  }

  /** The revision of the latest write. */
  get revision(): number {
    return this.#revision;
  }

  get(type: TypeName, namespace: string, name: string): KubeObject | undefined {
    return this.#bucket(type)?.get(namespace)?.get(name);
  }

  /** Sorted by namespace and name. Without a namespace: objects of all namespaces. */
  list(type: TypeName, namespace = ''): readonly KubeObject[] {
    const bucket = this.#bucket(type);
    if (bucket === undefined) return [];
    if (namespace !== '') return bucket.get(namespace)?.values() ?? [];
    const spaces = bucket.values();
    const [only] = spaces;
    if (only !== undefined && spaces.length === 1) return only.values();
    return spaces.flatMap((objects) => objects.values());
  }

  /** The object with this uid, of any type. */
  byUid(uid: string): Located | undefined {
    return this.#owners.byUid(uid);
  }

  /** Objects with `uid` in their ownerReferences, in the order of creation. */
  dependentsOf(uid: string): readonly Located[] {
    return this.#owners.dependentsOf(uid);
  }

  /** Stores a new object or a new state of one, and returns it with its resourceVersion. */
  put(resourceType: ResourceType, object: KubeObject): KubeObject {
    const { namespace = '', name } = object.metadata;
    const objects = this.#objects(resourceType, namespace);
    const old = objects.get(name);
    const stored = this.#stamped(object);
    objects.set(name, stored);
    this.#owners.put(resourceType, stored, old);
    const revision = this.#revision;
    if (old === undefined) this.#tell({ type: 'ADDED', resourceType, object: stored, revision });
    else this.#tell({ type: 'MODIFIED', resourceType, object: stored, old, revision });
    return stored;
  }

  /**
   * Removes an object and returns its last state at the new revision. Undefined: it does not exist.
   */
  remove(resourceType: ResourceType, namespace: string, name: string): KubeObject | undefined {
    const bucket = this.#bucket(resourceType);
    const objects = bucket?.get(namespace);
    const old = objects?.get(name);
    if (bucket === undefined || objects === undefined || old === undefined) return undefined;
    objects.delete(name);
    if (objects.size === 0) bucket.delete(namespace);
    this.#owners.remove(old);
    const object = this.#stamped(old);
    this.#tell({ type: 'DELETED', resourceType, object, old, revision: this.#revision });
    return object;
  }

  /**
   * Goes on where an earlier store ended: objects keep the versions they had, and no watch starts
   * before `revision`. Each is passed to the listeners before the next is asked for, so that a
   * definition makes the types of what follows known. Before anybody watches.
   *
   * @contract `millrace up --persist`
   */
  restore(objects: Iterable<Located>, revision: number): void {
    for (const { type: resourceType, object } of objects) {
      const { namespace = '', name } = object.metadata;
      const stored = frozen(object);
      this.#objects(resourceType, namespace).set(name, stored);
      this.#owners.put(resourceType, stored, undefined);
      this.#tell({ type: 'ADDED', resourceType, object: stored, revision });
    }
    this.#revision = Math.max(this.#revision, revision);
    this.history.compact(this.#revision);
  }

  /**
   * Returns a function that unsubscribes. A listener may write: the events of its writes follow the
   * present one.
   */
  onChange(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #bucket({ group, plural }: TypeName): Bucket | undefined {
    return this.#buckets.get(plural)?.get(group);
  }

  #objects(type: ResourceType, namespace: string): SortedMap<KubeObject> {
    const { group, plural } = type;
    const byGroup = this.#buckets.get(plural) ?? new Map<string, Bucket>();
    this.#buckets.set(plural, byGroup);
    let bucket = byGroup.get(group);
    if (bucket === undefined) {
      bucket = new SortedMap();
      byGroup.set(group, bucket);
    }
    let objects = bucket.get(namespace);
    if (objects === undefined) {
      objects = new SortedMap();
      bucket.set(namespace, objects);
    }
    return objects;
  }

  #stamped(object: KubeObject): KubeObject {
    this.#revision += 1;
    const resourceVersion = asResourceVersion(String(this.#revision));
    return frozen({ ...object, metadata: { ...object.metadata, resourceVersion } });
  }

  #tell(event: StoreEvent): void {
    this.history.add(event);
    this.#undelivered.push(event);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      // Grows while it is walked through: events of a listener's own writes follow (object-store-3).
      for (const next of this.#undelivered) {
        for (const listener of this.#listeners) listener(next);
      }
    } finally {
      this.#undelivered = [];
      this.#isDelivering = false;
    }
  }
}
