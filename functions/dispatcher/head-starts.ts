/**
 * Starts runs while their item is still being queued. Used if bridge and functions share a process.
 *
 * The way through the queue takes longer than a decision. A run may be repeated at any time and in any
 * process (laws 2 and 3), so the queue may learn of it afterwards.
 *
 * head-start-1 An added item begins at once if its function is not busy and no run of the same object is under way
 *    in this process. It is queued all the same, so a crash costs one more run and never the item.
 * head-start-2 The lease of an added item is settled with the result of the object's last run, if nothing was added
 *    since that run began. Otherwise the item gets a run of its own, after the running one.
 * head-start-3 The queue keeps only the last cause of an item, so a lease does not show every addition. Any addition
 *    after a run began therefore makes that run cover nothing. Nor does a run cover a lease if it ended
 *    long ago, or if its next look is due by now.
 * head-start-4 While the queue accepts nothing, nothing begins, since it would not be on record.
 * head-start-5 If the leases of begun runs do not come, other work waits in the queue. Then nothing more begins: each
 *    such run would be superfluous and ahead of that work.
 */
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { EventId } from '#shared/domain/objects.ts';
import { Recent } from '#shared/domain/recent.ts';
import { underEither } from '#shared/domain/under-either.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { Deliver, Delivery } from './deliver.ts';

export interface HeadStartsOptions {
  /** `add` of the queue. */
  readonly add: (items: readonly WorkItem[], occasion?: string) => Promise<void>;
  readonly deliver: Deliver;
  /** Limit for concurrent runs of one function. */
  readonly concurrency: number;
  readonly clock: Pick<WaitingClock, 'monotonicMs' | 'sleep'>;
  /** Resolves after a turn of the event loop. By then the run has sent its first request, so queueing costs no time. */
  readonly turn: () => Promise<unknown>;
}

interface Run {
  readonly delivery: Promise<Delivery>;
  readonly lost: AbortController;
  /** The result, and when it came, by the monotonic clock. */
  came?: { readonly delivery: Delivery | undefined; readonly atMs: number };
}

interface Known {
  /** Causes of items that were added here and whose leases have not come yet. */
  readonly awaited: Set<EventId>;
  /** The last run. Undefined: something was added since it began. */
  run?: Run | undefined;
}

/** A lease comes some milliseconds after its item was added. A later one belongs to another addition. */
const coveredForMs = 250;
/** For one object: the queue holds at most two of its items, and forgets the causes of the others. */
const mostAwaited = 8;
/** Runs of a function whose leases have not come. A lease that another process took counts for some seconds. */
const mostAhead = 4;
/** Limit for remembered objects. */
const mostRemembered = 1_000;
/** A lease that has not come by then went to another process, milliseconds. */
const leaseComesWithinMs = 5_000;
const longestWriteMs = 5_000;

export class HeadStarts {
  readonly #options: HeadStartsOptions;
  /** Current runs of this process, by identity. */
  readonly #running = new Map<string, Run>();
  /** Number of current runs, by function. */
  readonly #busy = new Map<string, number>();
  /** Begun runs that wait for their lease, by function and identity, with their start on the monotonic clock. */
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

  /** Delivers an item that was taken from the queue. */
  async deliver(item: WorkItem, signal: AbortSignal): Promise<Delivery> {
    const identity = workItemIdentity(item);
    this.#aheadOf(item).delete(identity);
    const covering = this.#covering(item);
    if (covering !== undefined) return this.#lateTo(covering, signal);
    for (let other; (other = this.#running.get(identity)) !== undefined;) await ended(other);
    return this.#start(item, signal).delivery;
  }

  /** Begins nothing more, cancels the runs that began here, and waits for their last writes. */
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

  /** The run that covers this lease. Undefined: the lease gets a run of its own. */
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

  /** Settles with the result of the run, minus the part of its wait that has passed. */
  async #lateTo(run: Run, signal: AbortSignal): Promise<Delivery> {
    const delivery = await goneOnWith(run, signal);
    if (!('afterMs' in delivery) || run.came === undefined) return delivery;
    const agoMs = this.#options.clock.monotonicMs() - run.came.atMs;
    return { ...delivery, afterMs: Math.max(0, Math.ceil(delivery.afterMs - agoMs)) };
  }

  /** `signal` is that of the lease. Absent: the run has no lease yet. */
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

/** Waits for the run, and cancels it if the lease is lost. */
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
