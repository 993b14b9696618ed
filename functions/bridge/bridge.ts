/**
 * The bridge follows the watch set, records every change that matters and enqueues the objects that
 * functions have to look at. Two bridges side by side are correct even without a Lease: ids are
 * derived, journal and queue coalesce. The Lease only saves the work of the second one.
 */
import type { Registry } from 'prom-client';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { hasCode, MillraceError } from '#shared/domain/errors.ts';
import { labels } from '#shared/domain/labels.ts';
import { type Resource, resourceKey } from '#shared/domain/objects.ts';
import { underEither } from '#shared/domain/under-either.ts';
import type { Journal } from '#shared/journal/journal.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { servedKinds } from '#shared/kube/served-kinds.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import type {
  Change,
  ReflectorFailure,
  ReflectorState,
  ReflectorStats,
  ReflectorTimes,
  StartedOver,
} from '#shared/kube/reflector-options.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { type BridgeMetrics, createBridgeMetrics, exposeReflectors } from './metrics.ts';
import type { EventPost } from './event-post.ts';
import type { Outlet } from './outlet.ts';
import { Publisher } from './publish.ts';
import { KindsAtRunTime } from './kinds-at-run-time.ts';
import { StateEvents } from './state-events.ts';
import { StoredViews, type StoredViewsOptions } from './stored-views.ts';
import { defaultSweepTimes, Sweeper, type SweepTimes } from './sweep.ts';
import { BridgeViews } from './views.ts';
import { type Watched, watchSetOf } from './watch-set.ts';
import { WhileLeading } from './while-leading.ts';

/** Elects one of several bridges. `run` ends when `signal` aborts. */
export interface Leadership {
  run(signal: AbortSignal, onChange: (leading: boolean) => void): Promise<void>;
}

export interface BridgeOptions {
  /** Subscriptions of all functions that this bridge serves. */
  readonly subscriptions: readonly Subscription[];
  readonly client: KubeClient;
  readonly journal: Journal;
  /** Receives the work items: the queue, or a sink instead of it. */
  readonly queue: Outlet;
  /** The uid of the namespace kube-system. Part of every event's source. */
  readonly clusterUid: string;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'debug'>;
  readonly metrics: Registry;
  readonly clock: WaitingClock;
  readonly random: Random;
  /** Absent: this bridge always publishes. */
  readonly leadership?: Leadership;
  /** Where functions in other processes read. Absent: there are none, or they ask the API server. */
  readonly storedViews?: StoredViewsOptions;
  /** Receives the events about changes of state (state-events.ts). Absent: none are sent. */
  readonly stateSink?: Pick<EventPost, 'send'>;
  /** The only namespace to follow. Absent: all namespaces. */
  readonly namespace?: string;
  readonly times?: Partial<ReflectorTimes> & Partial<SweepTimes>;
}

export interface Bridge {
  /** Live while the bridge runs, even while it waits for the Lease. */
  readonly views: BridgeViews;
  /** All required kinds have been listed and, if this bridge leads, published. */
  readonly synced: boolean;
  readonly leading: boolean;
  /** Why the bridge cannot be relied on at the moment, for the readiness probe. Undefined: it can. */
  notReady(): string | undefined;
  /** By kind, without kinds that are not needed, and without optional ones that are not served. */
  readonly stats: Readonly<Record<string, ReflectorStats>>;
  /** Resolves after `signal` has aborted. */
  run(signal: AbortSignal): Promise<void>;
  /** Runs `work` while this bridge leads, again each time it becomes leader, until `stop` aborts. */
  whileLeading(work: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void>;
}

const startOverNext =
  'nothing, if etcd was restored from a backup: everything is published again; otherwise find out why versions fell';

export function createBridge(options: BridgeOptions): Bridge {
  return new RunningBridge(options);
}

class RunningBridge implements Bridge {
  readonly views: BridgeViews;
  readonly #options: BridgeOptions;
  readonly #metrics: BridgeMetrics;
  readonly #publisher: Publisher;
  readonly #sweeper: Sweeper;
  readonly #storedViews: StoredViews | undefined;
  readonly #reflectors: ReadonlyMap<Watched, Reflector>;
  readonly #atRunTime: KindsAtRunTime;
  readonly #reflectorsAtRunTime = new Map<Watched, Reflector>();
  readonly #stateEvents: StateEvents | undefined;
  readonly #whileLeading = new WhileLeading();
  readonly #everSynced = new Set<Watched>();
  /** Optional resources that the API server does not serve. */
  readonly #unserved = new Set<Watched>();
  readonly #failed = new AbortController();
  #changedCluster: MillraceError | undefined;
  #leading = false;

  constructor(options: BridgeOptions) {
    const { subscriptions, journal, queue, clusterUid, clock, logger } = options;
    const watchSet = watchSetOf(subscriptions);
    this.#options = options;
    this.views = new BridgeViews(watchSet, clock);
    this.#metrics = createBridgeMetrics(options.metrics);
    const times = { ...defaultSweepTimes, ...options.times };
    this.#storedViews =
      options.storedViews &&
      new StoredViews({
        ...options.storedViews,
        watchSet,
        views: this.views,
        clock,
        logger,
        leading: () => this.#leading,
        renewMs: times.epochMs,
      });
    this.#publisher = new Publisher({
      ...(this.#storedViews === undefined ? {} : { storedViews: this.#storedViews }),
      journal,
      queue,
      clusterUid,
      clock,
      views: this.views,
      metrics: this.#metrics,
      leading: () => this.#leading,
    });
    this.#sweeper = new Sweeper({
      subscriptions,
      views: this.views,
      publisher: this.#publisher,
      journal,
      clock,
      logger,
      metrics: this.#metrics,
      times,
      leading: () => this.#leading,
    });
    this.#reflectors = new Map(watchSet.map((watched) => [watched, this.#reflectorOf(watched)]));
    this.#atRunTime = new KindsAtRunTime({
      subscriptions,
      views: this.views,
      resourceOf: servedKinds(options.client),
      follow: async (watched, signal) => {
        this.views.scopeOf(watched.resource).need();
        const reflector = this.#reflectorOf(watched);
        this.#reflectorsAtRunTime.set(watched, reflector);
        try {
          await reflector.run(signal);
        } finally {
          this.#reflectorsAtRunTime.delete(watched);
        }
      },
      // A bridge that becomes leader publishes everything anyway.
      wake: async (subscription, resource, objects) => {
        if (!this.#leading) return;
        await this.#publisher.wake(subscription, { resource, leadsTo: 'self' }, objects);
      },
      clock,
      logger,
    });
    this.#stateEvents =
      options.stateSink &&
      new StateEvents({
        ...options,
        kinds: subscriptions.flatMap(({ kinds }) => kinds),
        post: options.stateSink,
      });
    exposeReflectors(options.metrics, () => this.stats);
  }

  get synced(): boolean {
    return [...this.#reflectors.keys()].every(
      (watched) => this.views.scopeOf(watched.resource).isOptional || this.#everSynced.has(watched),
    );
  }

  get leading(): boolean {
    return this.#leading;
  }

  get stats(): Bridge['stats'] {
    const followed = [...this.#reflectors].filter(
      ([watched]) => this.views.scopeOf(watched.resource).isNeeded && !this.#unserved.has(watched),
    );
    return Object.fromEntries(
      followed.map(([{ resource }, reflector]) => [resource.kind, reflector.stats]),
    );
  }

  notReady(): string | undefined {
    if (!this.synced) return 'the first list is not complete yet';
    const refused = Object.entries(this.stats).filter(([, { refusedInARow }]) => refusedInARow > 0);
    if (refused.length === 0) return undefined;
    return `lists are refused because they are older than the known state: ${refused.map(describeRefusal).join(', ')}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    await underEither([signal, this.#failed.signal], (stop) => this.#runUntil(stop));
  }

  whileLeading(work: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void> {
    return this.#whileLeading.run(work, stop);
  }

  async #runUntil(stop: AbortSignal): Promise<void> {
    await this.#sweeper.noteEpoch(stop);
    this.#setLeading(this.#options.leadership === undefined);
    const loops = [
      ...[...this.#reflectors].map(([watched, reflector]) =>
        this.#follow(watched, reflector, stop),
      ),
      this.#sweeper.run(stop),
      this.#atRunTime.run(stop),
      this.#storedViews?.run(stop) ?? Promise.resolve(),
      this.#reportStates(stop),
      this.#lead(stop),
    ];
    try {
      await Promise.all(loops);
      if (this.#changedCluster !== undefined) throw this.#changedCluster;
    } finally {
      // A loop rejects only because of a bug. Then the others must stop as well.
      this.#failed.abort();
      await Promise.allSettled(loops);
      this.#setLeading(false);
    }
  }

  /** Starts when the resource is needed, and starts again when its selector has become too narrow. */
  async #follow(watched: Watched, reflector: Reflector, stop: AbortSignal): Promise<void> {
    const scope = this.views.scopeOf(watched.resource);
    if (!scope.isNeeded) {
      const looked = this.#needWhatIsLeft(watched, stop);
      await scope.untilNeeded(stop);
      await looked;
    }
    while (!stop.aborted) {
      await underEither([stop, scope.outgrown], (either) => reflector.run(either));
    }
  }

  /**
   * The last owner of some children may have gone while no bridge ran. Then no object needs these
   * children, and no event would report them. One request at the start, for optional resources only.
   */
  async #needWhatIsLeft({ resource, watchers }: Watched, signal: AbortSignal): Promise<void> {
    if (!watchers.some(({ watch: { outlivesOwner } }) => outlivesOwner)) return;
    const { client, namespace } = this.#options;
    const labelSelector = labels.ownerUid;
    const within = resource.namespaced && namespace !== undefined ? { namespace } : {};
    const scope = this.views.scopeOf(resource);
    try {
      const { items } = await client.list(resource, { labelSelector, limit: 1, signal, ...within });
      if (items.length > 0) scope.need();
    } catch (error) {
      // The reflector keeps trying, and logs why it fails.
      if (!hasCode(error, 'MR_API_NOT_FOUND')) scope.need();
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    await this.#options.leadership?.run(signal, (leading) => {
      if (leading === this.#leading) return;
      this.#options.logger.info({ leading }, 'leadership changed');
      this.#setLeading(leading);
      if (leading) this.#sweeper.tookOver();
    });
  }

  async #reportStates(stop: AbortSignal): Promise<void> {
    const events = this.#stateEvents;
    if (events === undefined) return;
    // Two bridges would send everything twice.
    await this.whileLeading((signal) => events.run(signal), stop);
  }

  /** Another bridge may have published meanwhile, so this one's memory of what was published is void. */
  #setLeading(leading: boolean): void {
    this.#leading = leading;
    this.#whileLeading.lead(leading);
    this.#publisher.forgetPublished();
    this.#metrics.leading.set(leading ? 1 : 0);
  }

  #reflectorOf(watched: Watched): Reflector {
    const { client, clock, random, times } = this.#options;
    const { resource, project } = watched;
    const scope = this.views.scopeOf(resource);
    const namespace = resource.namespaced ? this.#options.namespace : undefined;
    return new Reflector({
      client,
      resource,
      project,
      view: this.views.followed(resource),
      clock,
      random,
      deliver: (changes) => this.#publish(watched, changes),
      onState: (state) => this.#onState(watched, state),
      onFailure: (failure) => this.#onFailure(watched, failure),
      onStartOver: (event) => this.#startOver(watched, event),
      ...(namespace === undefined ? {} : { namespace }),
      labelSelector: () => scope.labelSelector,
      ...(times === undefined ? {} : { times }),
    });
  }

  /** A standby bridge keeps its views. Only the leader publishes events. */
  async #publish(watched: Watched, changes: readonly Change[]): Promise<void> {
    this.#widenFor(watched.resource);
    this.#startNeededBy(watched.resource, changes);
    this.#atRunTime.changed(watched.resource, changes);
    if (this.#leading) await this.#publisher.publish(watched, changes);
  }

  /** Objects of this resource exist now, so other resources have to be followed without their selector. */
  #widenFor(resource: Resource): void {
    if (this.views.followed(resource).size === 0) return;
    const key = resourceKey(resource);
    for (const { resource: other, widenedBy } of this.#reflectors.keys()) {
      if (widenedBy.some((each) => resourceKey(each) === key)) this.views.scopeOf(other).widen();
    }
  }

  /** An optional resource is followed once an object needs it. */
  #startNeededBy(resource: Resource, changes: readonly Change[]): void {
    for (const { resource: other, neededBy = [] } of this.#reflectors.keys()) {
      const scope = this.views.scopeOf(other);
      if (scope.isNeeded) continue;
      const needs = neededBy.filter((need) => resourceKey(need.resource) === resourceKey(resource));
      const isNeeded = changes.some(
        ({ type, object }) => type === 'changed' && needs.some(({ when }) => when(object)),
      );
      if (isNeeded) scope.need();
    }
  }

  #onState(watched: Watched, state: ReflectorState): void {
    const { resource } = watched;
    if (state === 'synced') {
      this.#everSynced.add(watched);
      this.#unserved.delete(watched);
      this.views.scopeOf(resource).listed();
      void this.#atRunTime.listed(resource);
    }
    const known = this.views.followed(resource).size;
    this.#options.logger.debug({ kind: resource.kind, state, known }, 'reflector state');
  }

  /** All kinds share one history, so when one of them starts over, the others have to check theirs. */
  async #startOver(watched: Watched, event: StartedOver): Promise<void> {
    await this.#requireSameCluster();
    this.#options.logger.warn(
      { kind: watched.resource.kind, ...event, next: startOverNext },
      'the cluster was taken back',
    );
    this.#publisher.historyChanged();
    if (event.because === 'other-resource') return;
    for (const [other, reflector] of [...this.#reflectors, ...this.#reflectorsAtRunTime]) {
      if (other !== watched) reflector.historyChanged();
    }
  }

  /** Ids and keys contain the cluster's uid, so another cluster needs a new process. */
  async #requireSameCluster(): Promise<void> {
    const { client, clusterUid: expected } = this.#options;
    const found = await clusterUid(client);
    if (found === expected) return;
    this.#changedCluster = new MillraceError('MR_CLUSTER_CHANGED', { found, expected });
    this.#failed.abort();
    throw this.#changedCluster;
  }

  /** The kind may be installed later, so the reflector keeps asking, in the end at its longest interval. */
  #onUnserved(watched: Watched): void {
    if (this.#unserved.has(watched)) return;
    this.#unserved.add(watched);
    const { kind, group } = watched.resource;
    this.#options.logger.info({ kind, group }, 'not served by the API server yet');
  }

  /** Logs the first, second, fourth, eighth ... failure in a row. */
  #onFailure(watched: Watched, { error, during, failures, retryInMs }: ReflectorFailure): void {
    const { resource } = watched;
    if (this.views.scopeOf(resource).isOptional && hasCode(error, 'MR_API_NOT_FOUND')) {
      this.#onUnserved(watched);
      return;
    }
    if (!Number.isInteger(Math.log2(failures))) return;
    const next = error instanceof MillraceError ? error.next : undefined;
    this.#options.logger.warn(
      { kind: resource.kind, during, failures, retryInMs, err: error, next },
      during === 'deliver' ? 'reading stopped until the event is taken' : 'reflector tries again',
    );
  }
}

function describeRefusal([kind, { refusedInARow, version, refusedVersion }]: readonly [
  string,
  ReflectorStats,
]): string {
  return `${kind} (version ${String(refusedVersion)} after ${String(version)}, ${refusedInARow} in a row)`;
}
