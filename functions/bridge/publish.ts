/**
 * Turns a change into a record in the journal and into work items (walk of one event):
 *
 * publish-1 Record and items are written at the same time, and neither waits for the other (decision 18).
 * publish-2 A change counts as published only after both stores accepted it. The caller tries again.
 * publish-3 Publishing again is harmless: ids are derived, journal and queue coalesce.
 * publish-4 The stored views for functions in other processes are written before any function is woken.
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
  /** The queue, or a sink instead of it. */
  readonly queue: Outlet;
  readonly clusterUid: string;
  /** Where indexes search. */
  readonly views: Pick<BridgeViews, 'seenBy'>;
  /** The views that functions in other processes read. Absent: they ask the API server. */
  readonly storedViews?: Pick<StoredViews, 'changed' | 'ensure' | 'startOver'>;
  readonly clock: Clock;
  readonly metrics: BridgeMetrics;
  /** Whether this bridge publishes. Checked again after each wait for the stored views. */
  readonly leading: () => boolean;
}

/** Records and items per call, so that no call exceeds the deadline of the stores. */
const batchLimit = 500;

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #published = new Published();

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /**
   * Publishes the news among the changes. Throws MR_QUEUE_UNAVAILABLE or MR_SINK_UNAVAILABLE; the
   * caller then has to publish all of them again.
   */
  async publish(watched: Watched, changes: readonly Change[]): Promise<void> {
    const { metrics, storedViews } = this.#options;
    const { kind } = watched.resource;
    const news = this.#published.newsAmong(watched, changes);
    metrics.filtered.inc({ kind }, changes.length - news.length);
    await storedViews?.changed(watched, changes);
    // If another bridge leads now, it publishes the change.
    if (news.length === 0 || !this.#options.leading()) return;
    const published = news.map((item) => {
      const event = this.#translate(watched.resource, item.change);
      return { item, event };
    });
    const events = published.map(({ event }) => event);
    await Promise.all([this.#record(events), this.#enqueue(this.#itemsOf(published))]);
    for (const { item, event } of published) {
      this.#published.remember(item, event);
      metrics.published.inc({ kind, change: item.change.type });
    }
  }

  /**
   * Records and enqueues the objects even if they are not news, because the stores may have lost their
   * data. Throws as {@link publish} does. Returns the number of enqueued items.
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

  /** From now on every change is news again. */
  forgetPublished(): void {
    this.#published.forgetEverything();
    this.#options.storedViews?.startOver();
  }

  /** The cluster's history has changed, so what was published before is void. */
  historyChanged(): void {
    this.#published.forgetEverything();
    this.#options.storedViews?.startOver(true);
  }

  /** The stores have lost their data. */
  storesAreEmpty(): void {
    this.#options.storedViews?.startOver();
  }

  /** Number of objects whose last publication is remembered. */
  get remembered(): number {
    return this.#published.size;
  }

  /** Enqueues what the objects lead to, under the event that the journal already has of them. */
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

  /** One item per identity, with the latest event of the batch. */
  #itemsOf(published: readonly PublishedNews[]): readonly WorkItem[] {
    const targetsOf = this.#routes();
    const items = new Map<string, WorkItem>();
    for (const { item, event } of published) {
      for (const watcher of item.wakes) {
        for (const key of targetsOf(watcher, event)) {
          const wanted = workItem(watcher.subscription.name, key, event);
          items.set(workItemIdentity(wanted), wanted);
        }
      }
    }
    return [...items.values()];
  }

  /** For one batch. An index is built on first use, from the views of that moment. */
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

interface PublishedNews {
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
