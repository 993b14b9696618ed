/**
 * Runs that begin while their item is still on its way into the queue, where bridge and functions share a process.
 *
 * The way through the queue takes longer than a decision. A run may be repeated at any time and in any process (laws 2
 * and 3), so the queue may learn of it afterwards.
 *
 * H1 An item that is added here begins at once where its function is not busy and nothing of the same object runs in
 *    this process. It is queued all the same: a crash in between costs one more run and never the item.
 * H2 The lease of an item that was added here is settled with what the last run of its object came to, where nothing was
 *    added since that run began. Otherwise it has a run of its own, after the one that is under way.
 * H3 The cause of a lease does not tell what else asked for it, since the queue keeps the last one only: whatever is added
 *    after a run has begun makes that run cover nothing. Nor does one that ended long ago, or whose next look is due by now.
 * H4 While the queue takes nothing nothing begins, since it would not be on record.
 * H5 Where the leases of what has begun do not come, other work waits in the queue: then nothing more begins, since each
 *    such run would be one too many, and in front of what waits.
 */
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { EventId } from '#shared/domain/objects.ts';
import { Recent } from '#shared/domain/recent.ts';
import { underEither } from '#shared/domain/under-either.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { Deliver, Delivery } from './deliver.ts';

export interface HeadStartsOptions {
  /** Of the queue. */
  readonly add: (items: readonly WorkItem[], occasion?: string) => Promise<void>;
  readonly deliver: Deliver;
  /** Runs of one function at once. */
  readonly concurrency: number;
  readonly clock: Pick<WaitingClock, 'monotonicMs' | 'sleep'>;
  /** Until the event loop has come round: a run has asked the API server by then, and what is queued meanwhile costs no time. */
  readonly turn: () => Promise<unknown>;
}

interface Run {
  readonly delivery: Promise<Delivery>;
  readonly lost: AbortController;
  /** What it came to, and when, by the monotonic clock. */
  came?: { readonly delivery: Delivery | undefined; readonly atMs: number };
}

interface Known {
  /** Added here, and their leases have not come. */
  readonly awaited: Set<EventId>;
  /** The last one; undefined where something was added since it began. */
  run?: Run | undefined;
}

/** A lease comes some milliseconds after its item was added; later than this it is of another addition. */
const coveredForMs = 250;
/** Of one object: the queue holds two of its items at most, and drops the names of the others. */
const mostAwaited = 8;
/** Runs of a function whose leases have not come. One of another process keeps its place for some seconds. */
const mostAhead = 4;
/** Objects that are remembered. */
const mostRemembered = 1_000;
/** A lease that has not come by then went to another process. */
const leaseComesWithinMs = 5_000;
const longestWriteMs = 5_000;

export class HeadStarts {
  readonly #options: HeadStartsOptions;
  /** What runs in this process, by identity. */
  readonly #running = new Map<string, Run>();
  /** How much of it, by function. */
  readonly #busy = new Map<string, number>();
  /** What has begun and waits for its lease, by function and identity: since when, by the monotonic clock. */
  readonly #ahead = new Map<string, Map<string, number>>();
  /** By identity. */
  readonly #known = new Recent<Known>(mostRemembered);
  readonly #over = new AbortController();
  #isTaken = false;

  constructor(options: HeadStartsOptions) {
    this.#options = options;
  }

  /** Adds to the queue, and begins what can begin. Throws what the queue throws. */
  async add(items: readonly WorkItem[], occasion?: string): Promise<void> {
    try {
      for (const item of items) this.#added(item);
      await this.#options.turn();
      await this.#options.add(items, occasion);
      this.#isTaken = true;
    } catch (error) {
      this.#isTaken = false;
      throw error;
    }
  }

  /** Delivers what was taken from the queue. */
  async deliver(item: WorkItem, signal: AbortSignal): Promise<Delivery> {
    const identity = workItemIdentity(item);
    this.#aheadOf(item).delete(identity);
    const covering = this.#covering(item);
    if (covering !== undefined) return this.#lateTo(covering, signal);
    for (let other; (other = this.#running.get(identity)) !== undefined;) await ended(other);
    return this.#start(item, signal).delivery;
  }

  /** Begins nothing more, calls off what has begun here, and waits for the writes that are under way. */
  async end(): Promise<void> {
    this.#over.abort();
    const isOver = new AbortController();
    const all = Promise.all([...this.#running.values()].map(ended)).then(() => isOver.abort());
    await Promise.race([all, this.#options.clock.sleep(longestWriteMs, isOver.signal)]);
  }

  #added(item: WorkItem): void {
    const identity = workItemIdentity(item);
    const known = this.#knownOf(identity);
    known.awaited.add(item.cause);
    const [first] = known.awaited;
    if (known.awaited.size > mostAwaited && first !== undefined) known.awaited.delete(first);
    known.run = undefined;
    if (!this.#isTaken || this.#over.signal.aborted || this.#isBusy(item)) return;
    if (this.#running.has(identity)) return;
    this.#start(item);
    this.#aheadOf(item).set(identity, this.#options.clock.monotonicMs());
  }

  #isBusy(item: WorkItem): boolean {
    const { concurrency, clock } = this.#options;
    if ((this.#busy.get(item.function) ?? 0) >= concurrency) return true;
    const ahead = this.#aheadOf(item);
    for (const [identity, sinceMs] of ahead) {
      if (clock.monotonicMs() - sinceMs <= leaseComesWithinMs) break;
      ahead.delete(identity);
    }
    return ahead.size >= mostAhead;
  }

  #aheadOf({ function: name }: WorkItem): Map<string, number> {
    const ahead = this.#ahead.get(name) ?? new Map<string, number>();
    this.#ahead.set(name, ahead);
    return ahead;
  }

  /** Undefined: the lease has a run of its own. */
  #covering(item: WorkItem): Run | undefined {
    const { awaited, run } = this.#knownOf(workItemIdentity(item));
    return awaited.delete(item.cause) && run !== undefined && !this.#isOld(run) ? run : undefined;
  }

  #knownOf(identity: string): Known {
    const known = this.#known.get(identity) ?? { awaited: new Set() };
    this.#known.set(identity, known);
    return known;
  }

  #isOld({ came }: Run): boolean {
    if (came === undefined) return false;
    const agoMs = this.#options.clock.monotonicMs() - came.atMs;
    return agoMs > coveredForMs || agoMs >= waitOf(came.delivery);
  }

  /** Settles with what is left of its wait. */
  async #lateTo(run: Run, signal: AbortSignal): Promise<Delivery> {
    const delivery = await goneOnWith(run, signal);
    if (!('afterMs' in delivery) || run.came === undefined) return delivery;
    const agoMs = this.#options.clock.monotonicMs() - run.came.atMs;
    return { ...delivery, afterMs: Math.max(0, Math.ceil(delivery.afterMs - agoMs)) };
  }

  /** `signal`: of its lease; absent: it has none yet. */
  #start(item: WorkItem, signal: AbortSignal = this.#over.signal): Run {
    const { deliver, clock } = this.#options;
    const identity = workItemIdentity(item);
    const lost = new AbortController();
    const delivery = underEither([signal, lost.signal], (either) => deliver(item, either));
    const run: Run = { delivery, lost };
    const ends = (came: Delivery | undefined): void => {
      run.came = { delivery: came, atMs: clock.monotonicMs() };
      this.#running.delete(identity);
      this.#count(item.function, -1);
    };
    delivery.then(ends, () => ends(undefined));
    this.#running.set(identity, run);
    this.#knownOf(identity).run = run;
    this.#count(item.function, 1);
    return run;
  }

  #count(functionName: string, by: 1 | -1): void {
    this.#busy.set(functionName, (this.#busy.get(functionName) ?? 0) + by);
  }
}

function waitOf(delivery: Delivery | undefined): number {
  return delivery !== undefined && 'afterMs' in delivery ? delivery.afterMs : Infinity;
}

async function ended({ delivery }: Run): Promise<void> {
  await delivery.catch(() => undefined);
}

/** As long as the lease lasts. */
async function goneOnWith({ delivery, lost }: Run, signal: AbortSignal): Promise<Delivery> {
  const onLost = (): void => lost.abort();
  if (signal.aborted) onLost();
  signal.addEventListener('abort', onLost);
  try {
    return await delivery;
  } finally {
    signal.removeEventListener('abort', onLost);
  }
}
