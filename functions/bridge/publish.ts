/**
 * From a change to a record and to work, in this order (walk of one event):
 *
 * P1 Nothing is enqueued that was not recorded first.
 * P2 Nothing is remembered as published before both stores took it; whoever calls tries again.
 * P3 Repeating a publication is harmless: ids are derived, the journal and the queue coalesce.
 */
import type { Clock } from '#shared/domain/clock.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { EventReference } from '#shared/events/event.ts';
import { route, type FindReferrers } from '#shared/events/routes.ts';
import { type Journal, journalFormat } from '#shared/journal/journal.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import type { BridgeMetrics } from './metrics.ts';
import { Published } from './published.ts';
import { indexReferrers, type KnownObjects } from './referrers.ts';
import { traceparentOf, translate } from './translate.ts';
import type { WatchedKind } from './watch-set.ts';

export interface PublisherOptions {
  readonly journal: Journal;
  readonly queue: WorkQueue;
  readonly clusterUid: string;
  readonly known: KnownObjects;
  readonly clock: Clock;
  readonly metrics: BridgeMetrics;
}

/** Records and items per call, so that no call outgrows the deadline of the stores. */
const batchLimit = 500;

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #published = new Published();

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Publishes what is news. Throws MR_QUEUE_UNAVAILABLE; then all of it has to come again. */
  async publish(kind: WatchedKind, changes: readonly Change[]): Promise<void> {
    const { metrics } = this.#options;
    const news = this.#published.newsAmong(kind, changes);
    metrics.filtered.inc({ kind }, changes.length - news.length);
    if (news.length === 0) return;
    const told = news.map((item) => ({ ...item, event: this.#translate(kind, item.change) }));
    const events = told.map(({ event }) => event);
    await this.#record(events);
    await this.#enqueue(events);
    for (const item of told) {
      this.#published.remember(item, item.event);
      metrics.published.inc({ kind, change: item.change.type });
    }
  }

  /**
   * Records and enqueues the objects as they are, whether or not they are news: the stores may have
   * lost what they had. Throws MR_QUEUE_UNAVAILABLE. Returns how many items were enqueued.
   */
  async publishAgain(kind: WatchedKind, objects: readonly KubeObject[]): Promise<number> {
    return await inBatches(objects, async (batch) => {
      const events = batch.map((object) => this.#translate(kind, { type: 'changed', object }));
      await this.#record(events);
      return await this.#enqueue(events);
    });
  }

  /** Takes everything for news again that comes from now on. */
  forgetPublished(): void {
    this.#published.forgetEverything();
  }

  /** Objects whose last publication is remembered. */
  get remembered(): number {
    return this.#published.size;
  }

  /** Enqueues the objects under the event that the journal has of them already. */
  async wake(kind: WatchedKind, objects: readonly KubeObject[]): Promise<number> {
    return await inBatches(objects, async (batch) =>
      this.#enqueue(
        batch.map((object) => {
          const event = this.#translate(kind, { type: 'changed', object });
          const id = this.#published.causeOf(object) ?? event.id;
          return { ...event, id, traceparent: traceparentOf(id) };
        }),
      ),
    );
  }

  #translate(kind: WatchedKind, change: Change): EventReference {
    return translate(this.#options.clusterUid, resources[kind], change);
  }

  async #record(events: readonly EventReference[]): Promise<void> {
    const { journal, clock } = this.#options;
    const atMs = clock.now();
    await journal.append(
      events.map((event) => ({ kind: 'event', format: journalFormat, event, atMs })),
    );
  }

  async #enqueue(events: readonly EventReference[]): Promise<number> {
    const { queue, known, metrics } = this.#options;
    const items = itemsOf(events, indexReferrers(known));
    if (items.length > 0) await queue.add(items);
    metrics.items.inc(items.length);
    return items.length;
  }
}

/** One item per identity: the latest event of a batch speaks for the earlier ones. */
function itemsOf(
  events: readonly EventReference[],
  findReferrers: FindReferrers,
): readonly WorkItem[] {
  const items = new Map<string, WorkItem>();
  for (const event of events) {
    for (const item of route(event, findReferrers)) items.set(workItemIdentity(item), item);
  }
  return [...items.values()];
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
