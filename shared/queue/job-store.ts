import type { WorkItem } from '#shared/domain/work-item.ts';

/** A job that this process holds: its lock carries `token`. */
export interface HeldJob {
  readonly id: string;
  readonly token: string;
  readonly item: WorkItem;
  readonly failures: number;
  /** Taken before the request, by the monotonic clock: the lock runs from then or later. */
  readonly askedMs: number;
}

/** A job that is not done waits before it is tried again. */
export interface Postponement {
  /** Duration of the wait, in milliseconds; not negative. */
  readonly afterMs: number;
  readonly failed: boolean;
  /** Present: the job is parked for this reason. */
  readonly parkedFor?: string;
}

/**
 * The stored jobs of one function, as the consumer needs them. Settling rejects with a {@link
 * LostLease} if the job is no longer held.
 */
export interface JobStore {
  /**
   * The next due job; undefined if there is none. With `block` it waits some seconds for one if none
   * was due last time.
   */
  next(options: { readonly block: boolean }): Promise<HeldJob | undefined>;
  /**
   * Ends a current wait of `next`, which then looks once more. Has no effect if it does not wait yet.
   */
  stopWaiting(): Promise<void>;
  /** Prolongs the locks and returns the jobs whose lock is gone. */
  extend(jobs: readonly HeldJob[]): Promise<readonly HeldJob[]>;
  finish(job: HeldJob): Promise<void>;
  postpone(job: HeldJob, postponement: Postponement): Promise<void>;
  /** Returns the job to the head of the line, as if it had never been taken. */
  giveBack(job: HeldJob): Promise<void>;
  /** Wakes the other waiting stores: this one may have consumed a wake-up of theirs. */
  close(): Promise<void>;
}

export class LostLease extends Error {
  override readonly name = 'LostLease';
}
