/**
 * From a change to a record and to work (walk of one event):
 *
 * P1 What is enqueued is recorded at the same time, and neither waits for the other (decision 18).
 * P2 Nothing is remembered as published before both stores took it; the caller tries again.
 * P3 Repeating a publication is harmless: ids are derived, the journal and the queue coalesce.
 * P4 Nobody is woken before what functions of other processes read shows why.
 */
import type { Clock } from '#shared/domain/clock.ts';
import type { KubeObject, ObjectKey, Resource } from '#shared/domain/objects.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import { type Journal, journalFormat } from '#shared/journal/journal.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import { directTargets, selfKey, workItem } from '#shared/subscription/route.ts';
import type { Subscription, Watch } from '#shared/subscription/subscription.ts';
import type { BridgeMetrics } from './metrics.ts';
import { type News, Published } from './published.ts';
import type { Outlet } from './outlet.ts';
import { traceparentOf, translate } from './translate.ts';
import type { StoredViews } from './stored-views.ts';
import type { BridgeViews } from './views.ts';
import type { Watched } from './watch-set.ts';

export interface PublisherOptions {
  readonly journal: Journal;
  /** The queue, or a sink in its place. */
  readonly queue: Outlet;
  readonly clusterUid: string;
  /** Where indexes look. */
  readonly views: Pick<BridgeViews, 'seenBy'>;
  /** What functions of other processes read. Absent: they ask the API server. */
  readonly storedViews?: Pick<StoredViews, 'changed' | 'ensure' | 'startOver'>;
  readonly clock: Clock;
  readonly metrics: BridgeMetrics;
  /** Whether this bridge publishes; asked again when it has waited for the views. */
  readonly leading: () => boolean;
}

/** Records and items per call, so that no call outgrows the deadline of the stores. */
const batchLimit = 500;

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #published = new Published();

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /**
   * Publishes what is news. Throws MR_QUEUE_UNAVAILABLE or MR_SINK_UNAVAILABLE; then all of it has to
   * come again.
   */
  async publish(watched: Watched, changes: readonly Change[]): Promise<void> {
    const { metrics, storedViews } = this.#options;
    const { kind } = watched.resource;
    const news = this.#published.newsAmong(watched, changes);
    metrics.filtered.inc({ kind }, changes.length - news.length);
    await storedViews?.changed(watched, changes);
    // Another bridge that leads now publishes it in its turn.
    if (news.length === 0 || !this.#options.leading()) return;
    const told = news.map((item) => {
      const event = this.#translate(watched.resource, item.change);
      return { item, event };
    });
    const events = told.map(({ event }) => event);
    await Promise.all([this.#record(events), this.#enqueue(this.#itemsOf(told))]);
    for (const { item, event } of told) {
      this.#published.remember(item, event);
      metrics.published.inc({ kind, change: item.change.type });
    }
  }

  /**
   * Records the objects as they are and lets the function look at them, whether or not they are news:
   * the stores may have lost what they had. Throws as {@link publish} does. Returns how many items
   * were enqueued.
   */
  async publishAgain(
    { name }: Subscription,
    decided: Resource,
    objects: readonly KubeObject[],
  ): Promise<number> {
    return await inBatches(objects, async (batch) => {
      await this.#options.storedViews?.ensure(decided, batch);
      if (!this.#options.leading()) return 0;
      const events = batch.map((object) => this.#translate(decided, { type: 'changed', object }));
      const items = events.map((event) => workItem(name, selfKey(event), event));
      const [enqueued] = await Promise.all([this.#enqueue(items), this.#record(events)]);
      return enqueued;
    });
  }

  /** Takes everything for news again that comes from now on. */
  forgetPublished(): void {
    this.#published.forgetEverything();
    this.#options.storedViews?.startOver();
  }

  /** What was published is of another history than what comes from now on. */
  historyChanged(): void {
    this.#published.forgetEverything();
    this.#options.storedViews?.startOver(true);
  }

  /** The stores have lost what they had. */
  storesAreEmpty(): void {
    this.#options.storedViews?.startOver();
  }

  /** Objects whose last publication is remembered. */
  get remembered(): number {
    return this.#published.size;
  }

  /** Lets the function look at what the objects lead to, under the event that the journal has of them already. */
  async wake(
    subscription: Subscription,
    watch: RoutedWatch,
    objects: readonly KubeObject[],
  ): Promise<number> {
    const targetsOf = this.#routes();
    return await inBatches(objects, async (batch) => {
      await this.#options.storedViews?.ensure(watch.resource, batch);
      if (!this.#options.leading()) return 0;
      const items = batch.flatMap((object) => {
        const event = this.#translate(watch.resource, { type: 'changed', object });
        const id = this.#published.causeOf(object) ?? event.id;
        const cause = { id, traceparent: traceparentOf(id) };
        const keys = targetsOf({ subscription, watch }, event);
        return keys.map((key) => workItem(subscription.name, key, cause));
      });
      return await this.#enqueue(items, String(this.#options.clock.now()));
    });
  }

  #translate(resource: Resource, change: Change): EventReference {
    return translate(this.#options.clusterUid, resource, change);
  }

  async #record(events: readonly EventReference[]): Promise<void> {
    const { journal, clock } = this.#options;
    const atMs = clock.now();
    await journal.append(
      events.map((event) => ({ kind: 'event', format: journalFormat, event, atMs })),
    );
  }

  async #enqueue(items: readonly WorkItem[], occasion?: string): Promise<number> {
    const { queue, metrics } = this.#options;
    if (items.length > 0) await queue.add(items, occasion);
    metrics.items.inc(items.length);
    return items.length;
  }

  /** One item per identity: the latest event of a batch speaks for the earlier ones. */
  #itemsOf(told: readonly Told[]): readonly WorkItem[] {
    const targetsOf = this.#routes();
    const items = new Map<string, WorkItem>();
    for (const { item, event } of told) {
      for (const watcher of item.wakes) {
        for (const key of targetsOf(watcher, event)) {
          const wanted = workItem(watcher.subscription.name, key, event);
          items.set(workItemIdentity(wanted), wanted);
        }
      }
    }
    return [...items.values()];
  }

  /** For one batch: an index is built when it is first asked, from the views as they are then. */
  #routes(): (route: Route, event: EventReference) => readonly ObjectKey[] {
    const { views } = this.#options;
    const indexes = new Map<RoutedWatch, (event: EventReference) => readonly ObjectKey[]>();
    return ({ subscription, watch }, event) => {
      if (typeof watch.leadsTo !== 'function') return directTargets(subscription, watch, event);
      const index = indexes.get(watch) ?? watch.leadsTo(views.seenBy(subscription));
      indexes.set(watch, index);
      return index(event);
    };
  }
}

type RoutedWatch = Pick<Watch, 'resource' | 'leadsTo'>;

interface Route {
  readonly subscription: Subscription;
  readonly watch: RoutedWatch;
}

interface Told {
  readonly item: News;
  readonly event: EventReference;
}

async function inBatches<T>(
  all: readonly T[],
  run: (batch: readonly T[]) => Promise<number>,
): Promise<number> {
  let total = 0;
  for (let from = 0; from < all.length; from += batchLimit) {
    total += await run(all.slice(from, from + batchLimit));
  }
  return total;
}
