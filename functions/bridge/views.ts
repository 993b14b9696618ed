import type { MonotonicClock } from '#shared/domain/clock.ts';
import { type KubeObject, type Resource, resourceKey, type Uid } from '#shared/domain/objects.ts';
import { ObjectView, type View } from '#shared/kube/object-view.ts';
import type { Views } from '#shared/kube/view-reader.ts';
import type { SeenObjects, Subscription, Watch } from '#shared/subscription/subscription.ts';
import { WatchScope } from './watch-scope.ts';
import { concerns, type Watched } from './watch-set.ts';

/** The views of the bridge, one for each followed resource. They are empty until reflectors fill them. */
export class BridgeViews implements Views<ObjectView> {
  readonly #byResource: Map<string, ObjectView>;
  readonly #scopes: Map<string, WatchScope>;
  readonly #nowMs: (() => number) | undefined;

  constructor(watchSet: readonly Watched[], clock?: MonotonicClock) {
    this.#nowMs = clock && (() => clock.monotonicMs());
    this.#scopes = new Map();
    this.#byResource = new Map();
    for (const watched of watchSet) this.follow(watched);
  }

  follow(watched: Watched): void {
    const key = resourceKey(watched.resource);
    this.#scopes.set(key, new WatchScope(watched));
    this.#byResource.set(key, new ObjectView(watched.project, this.#nowMs));
  }

  /** From now on this resource is read from the API server again. */
  letGo(resource: Resource): void {
    this.#scopes.delete(resourceKey(resource));
    this.#byResource.delete(resourceKey(resource));
  }

  of(resource: Resource): ObjectView | undefined {
    return this.#byResource.get(resourceKey(resource));
  }

  /** The view of a followed resource. */
  followed(resource: Resource): ObjectView {
    const view = this.of(resource);
    if (view === undefined) throw new Error(`${resourceKey(resource)} is not followed`);
    return view;
  }

  /** The part of a followed resource that is in its view. */
  scopeOf(resource: Resource): WatchScope {
    const scope = this.#scopes.get(resourceKey(resource));
    if (scope === undefined) throw new Error(`${resourceKey(resource)} is not followed`);
    return scope;
  }

  /** Only the objects that this function asked for, without those that are followed for other functions. */
  seenBy({ watches }: Pick<Subscription, 'watches'>): Views & SeenObjects {
    const views = new Map(
      watches.map((watch) => {
        const scope = this.scopeOf(watch.resource);
        const view = new PartialView(this.followed(watch.resource), scope, watch);
        return [resourceKey(watch.resource), view] as const;
      }),
    );
    const of = (resource: Resource): View | undefined => views.get(resourceKey(resource));
    return {
      of,
      get: (resource, namespace, name) => of(resource)?.get(namespace, name),
      list: (resource) => of(resource)?.values() ?? [],
      listByOwner: (resource, owner) => of(resource)?.listByOwner(owner) ?? [],
    };
  }
}

/** A view that may hold more than the watch asked for. */
class PartialView implements View {
  readonly #view: ObjectView;
  readonly #scope: WatchScope;
  readonly #watch: Watch;

  constructor(view: ObjectView, scope: WatchScope, watch: Watch) {
    this.#view = view;
    this.#scope = scope;
    this.#watch = watch;
  }

  get synced(): boolean {
    return this.#view.synced && (this.#watch.only !== 'others' || this.#scope.isComplete);
  }

  get(namespace: string, name: string): KubeObject | undefined {
    const found = this.#view.get(namespace, name);
    return found !== undefined && this.#isAskedFor(found) ? found : undefined;
  }

  listByOwner(uid: Uid): readonly KubeObject[] {
    return this.#view.listByOwner(uid).filter((object) => this.#isAskedFor(object));
  }

  listByRoot(uid: Uid): readonly KubeObject[] {
    return this.#view.listByRoot(uid).filter((object) => this.#isAskedFor(object));
  }

  get currentAsOfMs(): number {
    return this.#view.currentAsOfMs;
  }

  removedByOwner(uid: Uid): readonly string[] {
    return this.#view.removedByOwner(uid);
  }

  get remembersRemovals(): boolean {
    return this.#view.remembersRemovals;
  }

  *values(): Iterable<KubeObject> {
    for (const object of this.#view.values()) if (this.#isAskedFor(object)) yield object;
  }

  #isAskedFor(object: KubeObject): boolean {
    return concerns(this.#watch, object);
  }
}
