/** The items of one function. Each identity has at most one entry, in exactly one state (queue-1). */
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { WaitingTakers } from './waiting-takers.ts';
import type { ItemState, Lease, ParkedItem, QueueDepth } from './work-queue.ts';

/** A Node timer of more than 2^31 ms fires at once. */
const longestSleepMs = 24 * 3_600_000;

type State =
  | { readonly kind: 'waiting'; readonly sinceMs: number }
  | { readonly kind: 'running'; readonly lost: AbortController; wokenBy?: WorkItem }
  | { readonly kind: 'delayed'; readonly cut: AbortController }
  | { readonly kind: 'parked'; readonly reason: string; readonly atMs: number };

interface Entry {
  item: WorkItem;
  failures: number;
  state: State;
}

interface RoomOptions {
  readonly clock: WaitingClock;
  readonly random?: Random;
  readonly maxParked: number;
}

type Settle = (entry: Entry, wokenBy: WorkItem | undefined) => void;

export class MemoryRoom {
  readonly #options: RoomOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting: string[] = [];
  readonly #takers = new WaitingTakers<Lease>();

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  add(identity: string, item: WorkItem): void {
    const entry = this.#entries.get(identity);
    if (entry === undefined) {
      this.#queue(identity, { item, failures: 0 });
      return;
    }
    const { state } = entry;
    switch (state.kind) {
      case 'running':
        state.wokenBy = item;
        return;
      case 'waiting':
        entry.item = item;
        return;
      case 'delayed':
        state.cut.abort();
        break;
      case 'parked':
        break;
    }
    this.#queue(identity, { ...entry, item });
  }

  async take(signal: AbortSignal): Promise<Lease | undefined> {
    const taken = this.#takers.wait(signal);
    this.#serve();
    return taken;
  }

  depth(): QueueDepth {
    const counts: Record<ItemState, number> = { waiting: 0, running: 0, delayed: 0, parked: 0 };
    let sinceMs = Infinity;
    for (const { state } of this.#entries.values()) {
      counts[state.kind] += 1;
      if (state.kind === 'waiting') sinceMs = Math.min(sinceMs, state.sinceMs);
    }
    if (counts.waiting === 0) return counts;
    return { ...counts, oldestWaitMs: this.#options.clock.monotonicMs() - sinceMs };
  }

  parked(): readonly ParkedItem[] {
    return [...this.#entries.values()].flatMap(({ item, state }) =>
      state.kind === 'parked' ? [{ item, reason: state.reason, parkedAtMs: state.atMs }] : [],
    );
  }

  dropParked(identity: string): boolean {
    const isParked = this.#entries.get(identity)?.state.kind === 'parked';
    return isParked && this.#entries.delete(identity);
  }

  /** `concerns` selects leases by their signals. Absent: all. */
  loseLeases(concerns: (signal: AbortSignal) => boolean = () => true): void {
    for (const [identity, entry] of [...this.#entries]) {
      const { state } = entry;
      if (state.kind !== 'running' || !concerns(state.lost.signal)) continue;
      state.lost.abort(new Error('lease lost'));
      this.#queue(identity, { ...entry, item: state.wokenBy ?? entry.item });
    }
  }

  clear(): void {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#waiting.length = 0;
    for (const { state } of entries) {
      if (state.kind === 'running') state.lost.abort(new Error('lease lost'));
      if (state.kind === 'delayed') state.cut.abort();
    }
  }

  close(): void {
    this.#takers.dismiss();
    this.clear();
  }

  #queue(identity: string, { item, failures }: Pick<Entry, 'item' | 'failures'>): void {
    const sinceMs = this.#options.clock.monotonicMs();
    // Deleted and set again, so that the map's order is the order of the last change.
    this.#entries.delete(identity);
    this.#entries.set(identity, { item, failures, state: { kind: 'waiting', sinceMs } });
    this.#waiting.push(identity);
    this.#serve();
  }

  #serve(): void {
    while (this.#takers.size > 0 && this.#waiting.length > 0) {
      const at = Math.floor((this.#options.random?.() ?? 0) * this.#waiting.length);
      const [identity] = this.#waiting.splice(at, 1);
      const entry = identity === undefined ? undefined : this.#entries.get(identity);
      if (identity !== undefined && entry !== undefined) this.#run(identity, entry);
    }
  }

  #run(identity: string, entry: Entry): void {
    const lost = new AbortController();
    entry.state = { kind: 'running', lost };
    const settle = async (change: Settle): Promise<void> => {
      const { state } = entry;
      if (this.#entries.get(identity) !== entry || state.kind !== 'running') return;
      change(entry, state.wokenBy);
    };
    this.#takers.hand({
      item: entry.item,
      failures: entry.failures,
      signal: lost.signal,
      ack: () => settle((_, wokenBy) => this.#finish(identity, wokenBy)),
      later: (afterMs, { failed }) =>
        settle((held, wokenBy) => {
          held.failures += failed ? 1 : 0;
          this.#delay(identity, held, wokenBy, afterMs);
        }),
      park: (reason) => settle((held, wokenBy) => this.#park(identity, held, wokenBy, reason)),
    });
  }

  #finish(identity: string, wokenBy: WorkItem | undefined): void {
    this.#entries.delete(identity);
    if (wokenBy !== undefined) this.add(identity, wokenBy);
  }

  #delay(identity: string, entry: Entry, wokenBy: WorkItem | undefined, afterMs: number): void {
    if (wokenBy !== undefined || afterMs <= 0) {
      this.#queue(identity, { ...entry, item: wokenBy ?? entry.item });
      return;
    }
    const cut = new AbortController();
    entry.state = { kind: 'delayed', cut };
    void this.#wait(afterMs, cut.signal).then(() => {
      if (!cut.signal.aborted) this.#queue(identity, entry);
    });
  }

  async #wait(forMs: number, signal: AbortSignal): Promise<void> {
    for (let leftMs = forMs; leftMs > 0 && !signal.aborted; leftMs -= longestSleepMs) {
      await this.#options.clock.sleep(Math.min(leftMs, longestSleepMs), signal);
    }
  }

  #park(identity: string, entry: Entry, wokenBy: WorkItem | undefined, reason: string): void {
    if (wokenBy !== undefined) {
      this.#queue(identity, { ...entry, item: wokenBy });
      return;
    }
    const atMs = this.#options.clock.now();
    this.#entries.delete(identity);
    this.#entries.set(identity, { ...entry, state: { kind: 'parked', reason, atMs } });
    this.#forgetOldestParked();
  }

  #forgetOldestParked(): void {
    const parked = [...this.#entries].filter(([, entry]) => entry.state.kind === 'parked');
    for (const [identity] of parked.slice(0, Math.max(0, parked.length - this.#options.maxParked)))
      this.#entries.delete(identity);
  }
}
