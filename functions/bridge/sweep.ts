/**
 * The safety net under the queue (law 1: a lost item costs latency, never correctness). The sweep reads
 * the bridge's views only, never the API server.
 *
 * sweep-1 Every unfinished object is enqueued again each period, so that none waits for ever.
 * sweep-2 A store that lost its data has another epoch. Then everything is recorded and enqueued again.
 * sweep-3 The new epoch counts as seen only after that has succeeded.
 * sweep-4 A bridge that lost the Lease while it waited for a store begins nothing more. The next leader
 *    publishes everything when it takes over.
 * sweep-5 An object that outlives its owner, or the function's interest in its owner, wakes the function each period
 *    until it is gone.
 */
import type { WaitingClock } from '#shared/domain/clock.ts';
import { controllerOf, type KubeObject, type Resource } from '#shared/domain/objects.ts';
import type { Journal } from '#shared/journal/journal.ts';
import { decidedKind } from '#shared/subscription/route.ts';
import type { Subscription, Watch } from '#shared/subscription/subscription.ts';
import type { BridgeMetrics } from './metrics.ts';
import type { Publisher } from './publish.ts';
import type { BridgeViews } from './views.ts';

export interface SweepTimes {
  /** Interval between two sweeps of the unfinished objects, milliseconds. */
  readonly sweepMs: number;
  /** Interval between two checks of the epoch, milliseconds. */
  readonly epochMs: number;
}

export const defaultSweepTimes: SweepTimes = { sweepMs: 30_000, epochMs: 1_000 };

export interface SweepLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface SweeperOptions {
  readonly subscriptions: readonly Subscription[];
  readonly views: Pick<BridgeViews, 'seenBy'>;
  readonly publisher: Publisher;
  readonly journal: Journal;
  readonly clock: WaitingClock;
  readonly metrics: BridgeMetrics;
  readonly logger: SweepLog;
  readonly times: SweepTimes;
  /** Only the leading bridge sweeps. */
  readonly leading: () => boolean;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  #epoch: string | undefined;
  /** Why everything has to be enqueued again. Kept until that is done. */
  #due: 'store-lost-data' | 'took-over' | undefined;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /**
   * Reads the epoch before anything is published. Otherwise a loss between the first publication and the
   * first check would go unnoticed. Waits for the store. Returns early when `signal` aborts.
   */
  async noteEpoch(signal: AbortSignal): Promise<void> {
    const { journal, clock, logger, times } = this.#options;
    while (!signal.aborted) {
      try {
        this.#epoch = await journal.epoch();
        return;
      } catch (error) {
        logger.warn({ err: error }, 'waiting for the journal');
        await clock.sleep(times.epochMs, signal);
      }
    }
  }

  /** Everything has to be enqueued again, because this bridge does not know what another one published. */
  tookOver(): void {
    this.#due = 'took-over';
  }

  /** Resolves when `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#sweepUntil(signal), this.#watchEpochUntil(signal)]);
  }

  async #sweepUntil(signal: AbortSignal): Promise<void> {
    const { clock, times } = this.#options;
    for (;;) {
      await clock.sleep(times.sweepMs, signal);
      if (signal.aborted) return;
      if (this.#options.leading()) await this.#attempt(() => this.#sweep());
    }
  }

  async #watchEpochUntil(signal: AbortSignal): Promise<void> {
    const { clock, times } = this.#options;
    for (;;) {
      await clock.sleep(times.epochMs, signal);
      if (signal.aborted) return;
      if (this.#options.leading()) await this.#attempt(() => this.#repair());
    }
  }

  /** If a store does not answer, the next turn tries again. The adapters log the outage. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.logger.debug({ err: error }, 'sweep put off');
    }
  }

  async #sweep(): Promise<void> {
    const { subscriptions, publisher, metrics } = this.#options;
    for (const [subscription, decided] of decisionsOf(subscriptions)) {
      const { unfinished } = this.#objectsOf(subscription, decided);
      const itself = { resource: decided, leadsTo: 'self' } as const;
      const items = await publisher.wake(subscription, itself, unfinished);
      metrics.swept.inc({ reason: 'unfinished' }, items);
    }
    for (const subscription of subscriptions) {
      for (const watch of subscription.watches.filter(({ outlivesOwner }) => outlivesOwner)) {
        const items = await publisher.wake(subscription, watch, this.#leftOf(subscription, watch));
        metrics.swept.inc({ reason: 'left-behind' }, items);
      }
    }
  }

  /** Objects whose owner is gone or ignored, if the function decides about the owner's kind. */
  #leftOf(subscription: Subscription, { resource }: Watch): readonly KubeObject[] {
    const seen = this.#options.views.seenBy(subscription);
    return [...seen.list(resource)].filter(({ metadata }) => {
      const owner = controllerOf(metadata);
      const kind = owner && decidedKind(subscription.decides, owner);
      if (owner === undefined || kind === undefined) return false;
      const there = seen.get(kind, metadata.namespace ?? '', owner.name);
      return there?.metadata.uid !== owner.uid || ignores(subscription, kind, there);
    });
  }

  async #repair(): Promise<void> {
    const epoch = await this.#options.journal.epoch();
    if (!this.#options.leading()) return;
    if (epoch !== this.#epoch) {
      this.#due = 'store-lost-data';
      this.#options.publisher.storesAreEmpty();
    }
    if (this.#due === undefined) return;
    const reason = this.#due;
    this.#due = undefined;
    try {
      if (await this.#enqueueEverything(reason)) this.#epoch = epoch;
    } catch (error) {
      this.#due ??= reason;
      throw error;
    }
  }

  /** Returns false if the Lease was lost meanwhile (sweep-4). */
  async #enqueueEverything(reason: string): Promise<boolean> {
    const { subscriptions, publisher, metrics, logger, clock, leading } = this.#options;
    const startedMs = clock.monotonicMs();
    const items = { unfinished: 0, finished: 0 };
    // Divided once, so that an object that ends or begins meanwhile is still in one of the parts.
    const all = decisionsOf(subscriptions).map(
      (each) => [...each, this.#objectsOf(...each)] as const,
    );
    for (const part of ['unfinished', 'finished'] as const) {
      for (const [subscription, decided, objects] of all) {
        if (!leading()) return false;
        items[part] += await publisher.publishAgain(subscription, decided, objects[part]);
      }
    }
    metrics.swept.inc({ reason }, items.unfinished + items.finished);
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    logger.info({ reason, ...items, durationMs }, 'everything enqueued again');
    return true;
  }

  /** All objects of this kind that the function decides about, without those that it ignores. */
  #objectsOf(
    subscription: Subscription,
    decided: Resource,
  ): Record<'unfinished' | 'finished', KubeObject[]> {
    const seen = this.#options.views.seenBy(subscription);
    const nowMs = this.#options.clock.now();
    const objects = { unfinished: [] as KubeObject[], finished: [] as KubeObject[] };
    for (const object of seen.list(decided)) {
      if (ignores(subscription, decided, object)) continue;
      const isUnfinished = subscription.isUnfinished(object, seen, nowMs);
      objects[isUnfinished ? 'unfinished' : 'finished'].push(object);
    }
    return objects;
  }
}

/** The function decides about this kind, and not about this object. */
function ignores({ watches }: Subscription, decided: Resource, object: KubeObject): boolean {
  const own = watches.find(({ resource }) => resource === decided);
  return own !== undefined && own.fingerprint(object) === undefined;
}

/** Each function with each kind that it decides about. */
function decisionsOf(
  subscriptions: readonly Subscription[],
): readonly (readonly [Subscription, Resource])[] {
  return subscriptions.flatMap((each) => each.decides.map((decided) => [each, decided] as const));
}
