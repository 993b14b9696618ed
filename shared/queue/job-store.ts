import type { WorkItem } from '#shared/domain/work-item.ts';

/** A job that this process holds: its lock carries `token`. */
export interface HeldJob {
  readonly id: string;
  readonly token: string;
  readonly item: WorkItem;
  readonly failures: number;
  /** Before the store was asked for it, by the monotonic clock: its lock runs since then or later. */
  readonly askedMs: number;
}

/** What becomes of a job that is not done. */
export interface Postponement {
  /** How long it waits, in milliseconds; not negative. */
  readonly afterMs: number;
  readonly failed: boolean;
  /** Present: it is kept aside for this reason. */
  readonly parkedFor?: string;
}

/**
 * The stored jobs of one function, as the consumer needs them. Settling rejects with a
 * {@link LostLease} when the job is no longer held.
 */
export interface JobStore {
  /**
   * The next job that is due. With `block` it waits some seconds for one when none was due last
   * time; undefined when there is none.
   */
  next(options: { readonly block: boolean }): Promise<HeldJob | undefined>;
  /** Ends the wait of `next`, which looks once more then; nothing when it does not wait yet. */
  stopWaiting(): Promise<void>;
  /** Prolongs the locks; returns those jobs whose lock is gone. */
  extend(jobs: readonly HeldJob[]): Promise<readonly HeldJob[]>;
  finish(job: HeldJob): Promise<void>;
  postpone(job: HeldJob, postponement: Postponement): Promise<void>;
  /** Back to the head of the line, as if it had never been taken. */
  giveBack(job: HeldJob): Promise<void>;
  /** Wakes the other stores that wait for jobs: this one may have used up a wake-up of theirs. */
  close(): Promise<void>;
}

export class LostLease extends Error {
  override readonly name = 'LostLease';
}
