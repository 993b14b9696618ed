/**
 * Follows one resource: a complete list, then watches that resume where the last one ended. Hands every
 * change over in order.
 *
 * reflector-1 It ends only when it is stopped; every failure leads to a back-off and another try.
 * reflector-2 What was read is delivered until it is taken. Nothing further is read meanwhile.
 * reflector-3 The known state never goes back and is never emptied to be filled again (see the ledger). Only if the
 *    server's history is another one (refused-lists.ts), the whole state is replaced at once.
 * reflector-4 A silent watch counts as broken.
 *
 * Bookmarks, the random watch timeout and the back-off of 0.8 s to 30 s are those of client-go.
 */
import { withJitter } from '#shared/domain/backoff.ts';
import { errorClassOf, hasCode, MillraceError } from '#shared/domain/errors.ts';
import { apiPath, type ResourceVersion } from '#shared/domain/objects.ts';
import type { KubeList, ListOptions, WatchEvent } from './client.ts';
import { Delivery } from './reflector-delivery.ts';
import { ReflectorLedger } from './reflector-ledger.ts';
import { listEverything } from './reflector-list.ts';
import {
  type Change,
  defaultTimes,
  type ReflectorOptions,
  type ReflectorState,
  type ReflectorStats,
  type ReflectorTimes,
  type StartedOver,
} from './reflector-options.ts';
import { ReflectorRetry } from './reflector-retry.ts';
import { watchOnce, type WatchEnd } from './reflector-watch.ts';
import { RefusedLists } from './refused-lists.ts';
import { isNewer } from '#shared/domain/resource-version.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';

/** A properly closed watch that lived this long, in milliseconds, is not a failure. */
const soundWatchMs = 5_000;
/** After so many failed watches in a row without progress, the state is listed again. */
const failuresUntilRelist = 5;

type Step = 'list' | 'watch';

export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #times: ReflectorTimes;
  readonly #ledger = new ReflectorLedger();
  readonly #delivery: Delivery;
  readonly #retry: ReflectorRetry;
  readonly #counts = { lists: 0, watches: 0, events: 0, refused: 0, startedOver: 0 };
  readonly #refusals = new RefusedLists();
  #lastEventAtMs = 0;
  /** Another resource of this server has started over: the next list is accepted as it is. */
  #believing = false;
  #state: ReflectorState = 'stopped';
  readonly #untilRelist = { remainingMs: 0 };
  /** Scope of the last list: a watch reports nothing that its list left out. */
  #scope: Pick<ListOptions, 'namespace' | 'labelSelector'> = {};

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    const { clock, random, deliver } = options;
    const { redeliver, reconnect, batchLimit } = this.#times;
    const onFailure = options.onFailure ?? (() => undefined);
    this.#delivery = new Delivery({ deliver, clock, random, redeliver, batchLimit, onFailure });
    this.#retry = new ReflectorRetry({ clock, random, reconnect, onFailure });
  }

  get stats(): ReflectorStats {
    const { watches, ...counts } = this.#counts;
    return {
      ...counts,
      state: this.#state,
      reconnects: Math.max(0, watches - 1),
      redeliveries: this.#delivery.redeliveries,
      lastEventAtMs: this.#lastEventAtMs,
      refusedInARow: this.#refusals.count,
      version: this.#ledger.version,
      refusedVersion: this.#refusals.version,
    };
  }

  /**
   * Another resource of the same server has started over. Lists soon (within a third of the silence limit,
   * or after the current back-off), and accepts that list even if it is older.
   */
  historyChanged(): void {
    if (this.#ledger.version === undefined) return;
    this.#believing = true;
    this.#untilRelist.remainingMs = 0;
  }

  /**
   * Follows the resource until `signal` aborts, then fulfils. It may be called again: it lists anew and
   * first delivers what was left over. Throws if it is already running.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== 'stopped') throw new Error('the reflector is running already');
    let step: Step = 'list';
    try {
      while (!signal.aborted) {
        step = step === 'list' ? await this.#list(signal) : await this.#watch(signal);
      }
    } finally {
      this.#enter('stopped');
    }
  }

  async #list(signal: AbortSignal): Promise<Step> {
    this.#enter('listing');
    await this.#delivery.drain(signal);
    try {
      const list = await this.#request(signal);
      const because = this.#anotherHistory(list);
      if (because === undefined) await this.#take(list, signal);
      else await this.#startOver(list, because, signal);
      return 'watch';
    } catch (error) {
      if (signal.aborted) return 'list';
      this.#refusals.waited(await this.#backOff('list', error, signal));
      return 'list';
    }
  }

  async #request(signal: AbortSignal): Promise<KubeList> {
    const { client, clock, resource } = this.#options;
    const { pageLimit, pageTimeoutMs } = this.#times;
    this.#scope = this.#scopeNow();
    return await listEverything({
      client,
      clock,
      resource,
      scope: this.#scope,
      pageLimit,
      pageTimeoutMs,
      signal,
    });
  }

  /** Why the list is of another history. Undefined: it continues the known one. Throws otherwise. */
  #anotherHistory(list: KubeList): StartedOver['because'] | undefined {
    if (!this.#ledger.isOlder(list)) {
      return this.#ledger.contradicts(list) ? 'older-objects' : undefined;
    }
    if (this.#believing) return 'other-resource';
    this.#counts.refused += 1;
    this.#refusals.add(list.resourceVersion);
    if (this.#refusals.areAnotherHistory(this.#times.history)) return 'older-lists';
    throw this.#refusal(list);
  }

  #refusal({ resourceVersion }: KubeList): MillraceError {
    const { resource, namespace } = this.#options;
    return new MillraceError('MR_API_STALE', {
      path: apiPath(resource, namespace),
      version: resourceVersion,
      known: this.#ledger.version ?? '',
      refusals: this.#refusals.count,
    });
  }

  async #startOver(
    list: KubeList,
    because: StartedOver['because'],
    signal: AbortSignal,
  ): Promise<void> {
    const { view, onStartOver } = this.#options;
    const projected = this.#projected(list);
    await onStartOver?.({
      because,
      known: this.#ledger.version ?? list.resourceVersion,
      listedAt: list.resourceVersion,
      refusals: this.#refusals.count,
      waitedMs: this.#refusals.waitedMs,
      gone: this.#ledger.absentFrom(projected).length,
      listed: list.items.length,
    });
    view?.startOver(projected.items, projected.resourceVersion);
    this.#delivery.push(this.#ledger.startOver(projected));
    this.#counts.startedOver += 1;
    await this.#taken(signal);
  }

  async #take(list: KubeList, signal: AbortSignal): Promise<void> {
    const projected = this.#projected(list);
    const dropped = this.#options.view?.replace(projected.items, projected.resourceVersion);
    this.#delivery.push(this.#ledger.takeList(projected, dropped));
    await this.#taken(signal);
  }

  #projected(list: KubeList): KubeList {
    const { project = stripMetadata } = this.#options;
    return { ...list, items: list.items.map(project) };
  }

  async #taken(signal: AbortSignal): Promise<void> {
    this.#counts.lists += 1;
    this.#believing = false;
    this.#refusals.clear();
    // Spread, so that the reflectors of all replicas do not list in the same second.
    this.#untilRelist.remainingMs = withJitter(this.#times.relistMs, this.#options.random(), 0.2);
    await this.#delivery.drain(signal);
    if (!signal.aborted) this.#enter('synced');
  }

  async #watch(signal: AbortSignal): Promise<Step> {
    const { client, clock, resource } = this.#options;
    if (this.#state === 'synced') this.#enter('watching');
    this.#counts.watches += 1;
    const openedAt = this.#ledger.version;
    const end = await watchOnce({
      open: (cut) =>
        client.watch(resource, {
          ...this.#scope,
          resourceVersion: this.#ledger.version ?? '',
          timeoutSeconds: this.#watchSeconds(),
          signal: cut,
        }),
      take: (events) => this.#takeEvents(events, signal),
      clock,
      silenceMs: this.#times.silenceMs,
      untilRelist: this.#untilRelist,
      batchLimit: this.#times.batchLimit,
      signal,
    });
    const progressed = this.#ledger.version !== openedAt;
    return await this.#after(end, progressed, signal);
  }

  #scopeNow(): Pick<ListOptions, 'namespace' | 'labelSelector'> {
    const { namespace, labelSelector: given } = this.#options;
    const labelSelector = typeof given === 'function' ? given() : given;
    return {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
    };
  }

  #watchSeconds(): number {
    const [shortest, longest] = this.#times.watchSeconds;
    return Math.round(shortest + (longest - shortest) * this.#options.random());
  }

  async #takeEvents(events: readonly WatchEvent[], signal: AbortSignal): Promise<void> {
    const before = this.#ledger.version;
    this.#lastEventAtMs = this.#options.clock.now();
    this.#delivery.push(events.flatMap((event) => this.#changesOf(event)));
    if (this.#ledger.version !== before) this.#retry.progressed();
    this.#enter('watching');
    await this.#delivery.drain(signal);
  }

  #changesOf(event: WatchEvent): readonly Change[] {
    const { view, project = stripMetadata } = this.#options;
    if (event.type === 'BOOKMARK') {
      this.#takeBookmark(event.resourceVersion);
      return [];
    }
    const projected = { type: event.type, object: project(event.object) };
    const changes = this.#ledger.takeEvent(projected);
    this.#counts.events += 1;
    if (changes.length === 0) this.#counts.refused += 1;
    else view?.apply(projected);
    return changes;
  }

  /** An older one is from a lagging server or of another history: only a list can show which. */
  #takeBookmark(version: ResourceVersion): void {
    const known = this.#ledger.version;
    if (this.#ledger.advance(version)) this.#options.view?.progress(version);
    else if (known !== undefined && isNewer(known, version)) this.#untilRelist.remainingMs = 0;
  }

  /** The next step after a watch, when the wait for it is over. */
  async #after(end: WatchEnd, progressed: boolean, signal: AbortSignal): Promise<Step> {
    switch (end.kind) {
      case 'stopped':
        return 'watch';
      case 'relist':
        return 'list';
      case 'silent':
        this.#enter('stale');
        return 'watch';
      case 'closed':
        return await this.#afterClose(progressed || end.livedMs >= soundWatchMs, signal);
      case 'failed':
        return await this.#afterFailure(end.error, signal);
    }
  }

  /** A server that closes every watch at once must not be asked in a tight loop. */
  async #afterClose(sound: boolean, signal: AbortSignal): Promise<Step> {
    if (sound) {
      this.#retry.progressed();
      this.#enter('watching');
    } else await this.#retry.pause(signal);
    return 'watch';
  }

  async #afterFailure(error: unknown, signal: AbortSignal): Promise<Step> {
    if (hasCode(error, 'MR_API_GONE') && this.#retry.failures === 0) {
      this.#retry.countOnly();
      return 'list';
    }
    await this.#backOff('watch', error, signal);
    const hopeless = hasCode(error, 'MR_API_GONE') || errorClassOf(error) === 'terminal';
    return hopeless || this.#retry.failures % failuresUntilRelist === 0 ? 'list' : 'watch';
  }

  async #backOff(during: Step, error: unknown, signal: AbortSignal): Promise<number> {
    this.#enter('stale');
    return await this.#retry.backOff(during, error, signal);
  }

  #enter(state: ReflectorState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState?.(state);
  }
}
