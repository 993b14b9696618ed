/**
 * Every change of the objects of one kind, from its watch.
 *
 * sighting-1 Sightings are in the order of the API server's commits. So "before" and "after" of two
 *    objects of one kind are facts, not races of the test.
 * sighting-2 A short-lived state is still found, because waits search sightings instead of polling.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ResourceKind } from '#shared/domain/resources.ts';
import type { ClusterApi, WatchLine } from './cluster-api.ts';

export interface Sighting<Type extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Type;
  /** When the watch delivered it, in milliseconds since the epoch. */
  readonly atMs: number;
}

export class ObjectHistory<Type extends KubeObject> {
  readonly #kind: ResourceKind;
  readonly #api: ClusterApi;
  readonly #stop = new AbortController();
  readonly #sightings = new Map<string, Sighting<Type>[]>();
  readonly #current = new Map<string, Map<string, Type>>();
  readonly #listeners = new Set<() => void>();
  #failure: unknown;
  #following: Promise<void> = Promise.resolve();

  private constructor(api: ClusterApi, kind: ResourceKind) {
    this.#api = api;
    this.#kind = kind;
  }

  /** Sees every change from now on. */
  static async open<Type extends KubeObject>(
    api: ClusterApi,
    kind: ResourceKind,
  ): Promise<ObjectHistory<Type>> {
    const history = new ObjectHistory<Type>(api, kind);
    const { resourceVersion } = await api.list(kind);
    history.#following = history.#follow(resourceVersion);
    return history;
  }

  /** The existing objects in the namespace, in order of creation. */
  current(namespace: string): readonly Type[] {
    return [...(this.#current.get(namespace)?.values() ?? [])];
  }

  get(namespace: string, name: string): Type | undefined {
    return this.#current.get(namespace)?.get(name);
  }

  /** In the order of commits (sighting-1). */
  sightings(namespace: string): readonly Sighting<Type>[] {
    return this.#sightings.get(namespace) ?? [];
  }

  /**
   * Called after every change; returns a function that stops it. Throws if the watch has broken.
   */
  onChange(listener: () => void): () => void {
    this.assertHealthy();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A broken watch must fail the waiting test, not look like silence. */
  assertHealthy(): void {
    if (this.#failure !== undefined) {
      throw new Error(`the test's watch of ${this.#kind} broke`, { cause: this.#failure });
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  async #follow(from: string): Promise<void> {
    let resourceVersion = from;
    try {
      while (!this.#stop.signal.aborted) {
        for await (const line of this.#api.watch(this.#kind, resourceVersion, this.#stop.signal)) {
          if (line.type === 'ERROR') throw new Error(JSON.stringify(line.object));
          resourceVersion = line.object.metadata.resourceVersion;
          this.#take(line);
        }
      }
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#failure = error;
      this.#notify();
    }
  }

  #take({ type, object }: WatchLine): void {
    if (type === 'BOOKMARK' || type === 'ERROR') return;
    const namespace = object.metadata.namespace ?? '';
    const sighting = { type, object: object as Type, atMs: Date.now() };
    const sightings = this.#sightings.get(namespace);
    if (sightings === undefined) this.#sightings.set(namespace, [sighting]);
    else sightings.push(sighting);
    const objects = this.#current.get(namespace) ?? new Map<string, Type>();
    this.#current.set(namespace, objects);
    if (type === 'DELETED') objects.delete(object.metadata.name);
    else objects.set(object.metadata.name, object as Type);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
