/**
 * Runs that begin while their item is still on its way into the queue, where bridge and functions share a process.
 *
 * The way through the queue takes longer than a decision. What a run writes is right however often it runs and whoever
 * else does (laws 2 and 3), so that the queue may hear of it afterwards.
 *
 * H1 An item that is added here begins at once where its function is not busy and nothing of the same object runs in
 *    this process. It is queued all the same: a crash in between costs one more run and never the item.
 * H2 The lease of that item is settled with what the last run of the object came to, since that one saw what the event
 *    was about, or more. A lease of any other event has a run of its own, after the one that is under way.
 * H3 What is added again is looked at again: neither a run that began before covers it, nor one that ended long ago, nor
 *    one whose next look is due by now.
 * H4 While the queue takes nothing nothing begins, since it would not be on record.
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
  /** Events that it saw, or those after them, and whose leases have not come. */
  readonly covers: Set<EventId>;
  /** What it came to, and when, by the monotonic clock. */
  came?: { readonly delivery: Delivery | undefined; readonly atMs: number };
}

/** A lease comes some milliseconds after its item was added; later than this it is of another addition. */
const coveredForMs = 250;
/** Objects of which the last run is remembered. */
const mostRemembered = 1_000;
const longestWriteMs = 5_000;

export class HeadStarts {
  readonly #options: HeadStartsOptions;
  /** What runs in this process, by identity. */
  readonly #running = new Map<string, Run>();
  /** How much of it, by function. */
  readonly #busy = new Map<string, number>();
  /** Of each object, by identity. */
  readonly #last = new Recent<Run>(mostRemembered);
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
    const covering = this.#covering(item);
    if (covering !== undefined) return this.#lateTo(covering, signal);
    const identity = workItemIdentity(item);
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
    this.#last.get(identity)?.covers.delete(item.cause);
    const isBusy = (this.#busy.get(item.function) ?? 0) >= this.#options.concurrency;
    if (!this.#isTaken || this.#over.signal.aborted || isBusy) return;
    if (!this.#running.has(identity)) this.#start(item).covers.add(item.cause);
  }

  /** Undefined: the lease has a run of its own. */
  #covering(item: WorkItem): Run | undefined {
    const last = this.#last.get(workItemIdentity(item));
    return last?.covers.delete(item.cause) === true && !this.#isOld(last) ? last : undefined;
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
    const before = this.#last.get(identity);
    const lost = new AbortController();
    const delivery = underEither([signal, lost.signal], (either) => deliver(item, either));
    const covers = before === undefined || this.#isOld(before) ? [] : before.covers;
    const run: Run = { delivery, lost, covers: new Set(covers) };
    const ends = (came: Delivery | undefined): void => {
      run.came = { delivery: came, atMs: clock.monotonicMs() };
      this.#running.delete(identity);
      this.#count(item.function, -1);
    };
    delivery.then(ends, () => ends(undefined));
    this.#running.set(identity, run);
    this.#last.set(identity, run);
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
