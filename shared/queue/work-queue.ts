/**
 * The semantics of the queue, as in a client-go workqueue. Every adapter passes test/contract/work-queue.
 *
 * queue-1 For each identity (function, uid), at most one item runs and at most one waits.
 * queue-2 A wake-up that arrives while its item runs is never lost: the item runs once more.
 * queue-3 A burst while the item waits is one run.
 * queue-4 A fresh event ends a back-off or a requeue wait. It does not reset the attempt count; only `ack` does.
 * queue-5 An item whose worker died is taken again, however often that happens.
 * queue-6 A parked item stays aside with its reason. A fresh event makes it run again. A dropped item is forgotten with
 *    its failures, unless it was woken before.
 * queue-7 An empty store (FLUSHALL) breaks nothing: later adds are served, and settling a lost lease does not throw.
 * queue-8 No process's wall clock matters, whether it is wrong, is set or runs too fast. A wake-up runs its item at
 *    once. A postponed item waits as long as was asked, for every adding and taking process, by the clock of the
 *    store alone. A holder keeps its lease.
 */
import type { WorkItem } from '#shared/domain/work-item.ts';

export interface Lease {
  readonly item: WorkItem;
  /** Failed attempts before this one; 0 on the first run. */
  readonly failures: number;
  /** Aborts when the lease is lost (stalled, queue closing). Stop then: another run will follow. */
  readonly signal: AbortSignal;
  /** The item is done; its failures are forgotten. */
  ack(): Promise<void>;
  /**
   * Runs the item again after this wait: at once if not positive, at most a year. It is a duration, not a time, so
   * that no two processes compare clocks. An attempt is counted if `failed` is true.
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
   * The time that the next item has waited, in milliseconds; absent if none waits. A store may see items only when its
   * depth is read. Then the wait counts from the first read that included the item.
   */
  readonly oldestWaitMs?: number;
}

export interface WorkQueue {
  /** Returns when the items are stored. Throws MR_QUEUE_UNAVAILABLE within a time limit. */
  add(items: readonly WorkItem[]): Promise<void>;
  /** Waits for the next due item of this function. Undefined: `signal` aborted. */
  take(functionName: string, signal: AbortSignal): Promise<Lease | undefined>;
  depth(functionName: string): Promise<QueueDepth>;
  parked(functionName: string): Promise<readonly ParkedItem[]>;
  /** Returns whether it was parked. An item that is not parked stays as it is. */
  dropParked(item: Pick<WorkItem, 'function' | 'key'>): Promise<boolean>;
  close(): Promise<void>;
}
