/**
 * The queue semantics, as in a client-go workqueue; every adapter passes test/contract/work-queue.
 *
 * Q1 Per identity (function, uid) at most one item runs and at most one waits.
 * Q2 A wake-up that arrives while its item runs is never lost: it runs once more afterwards.
 * Q3 A burst while the item waits is one run.
 * Q4 A fresh event cuts a back-off or a requeue time short, and does not reset the attempt count;
 *    only `ack` does.
 * Q5 An item whose worker died is taken again, however often that happens.
 * Q6 A parked item stays aside with its reason; a fresh event makes it run again. One that is dropped is
 *    forgotten with its failures, unless it was woken before.
 * Q7 An empty store (FLUSHALL) breaks nothing: later adds are served, settling a lost lease is quiet.
 * Q8 No process's wall clock matters, whether it is off, is set or runs too fast: a wake-up runs its
 *    item at once, an item that was put off waits as long as was asked, for every adding and taking
 *    process, and a holder keeps its lease. What is put off waits by the clock of the store alone.
 */
import type { WorkItem } from '#shared/domain/work-item.ts';

export interface Lease {
  readonly item: WorkItem;
  /** Failed attempts before this one; 0 on the first run. */
  readonly failures: number;
  /** Aborted when the lease was lost (stalled, queue closing): stop, another run will follow. */
  readonly signal: AbortSignal;
  /** Done; forgets the failures. */
  ack(): Promise<void>;
  /**
   * Run again in so many milliseconds, at once when not positive; at most a year. A wait and not a
   * time, so that no clock is read by two parties. An attempt is counted when `failed` is true.
   */
  later(afterMs: number, options: { readonly failed: boolean }): Promise<void>;
  park(reason: string): Promise<void>;
}

export interface ParkedItem {
  readonly item: WorkItem;
  readonly reason: string;
  readonly parkedAtMs: number;
}

export type ItemState = 'waiting' | 'running' | 'delayed' | 'parked';

export interface QueueDepth extends Readonly<Record<ItemState, number>> {
  /**
   * How long the item has waited that is next, in milliseconds; absent when none waits. A store may learn of items
   * only when its depth is read: then the wait counts from the first reading that included the item.
   */
  readonly oldestWaitMs?: number;
}

export interface WorkQueue {
  /** Returns when the items are stored. Throws MR_QUEUE_UNAVAILABLE within a bounded time. */
  add(items: readonly WorkItem[]): Promise<void>;
  /** The next item of this function that is due; waits for one; undefined when `signal` aborts. */
  take(functionName: string, signal: AbortSignal): Promise<Lease | undefined>;
  depth(functionName: string): Promise<QueueDepth>;
  parked(functionName: string): Promise<readonly ParkedItem[]>;
  /** Returns whether it was parked until now; an item that is not parked stays as it is. */
  dropParked(item: Pick<WorkItem, 'function' | 'key'>): Promise<boolean>;
  close(): Promise<void>;
}
