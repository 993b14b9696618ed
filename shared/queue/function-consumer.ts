/**
 * Hands the stored jobs of one function to the takers that wait for them.
 *
 * consumer-1 A job is fetched only while a taker waits. One that comes too late is given back at
 *    once, so that none sits in memory without a run.
 * consumer-2 Settling never rejects and never hangs. If it could not be written, the job is taken
 *    again when its lock has run out (queue-5, queue-7).
 * consumer-3 The connections close when every fetch has handed over or returned its job and every
 *    settlement is written. A job that is cut off in between stands still until its lock has run
 *    out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { rateLimitedWarnings, type RedisLog } from '#shared/redis/log.ts';
import { HeldLeases } from './held-leases.ts';
import { type HeldJob, type JobStore, LostLease, type Postponement } from './job-store.ts';
import { WaitingTakers } from './waiting-takers.ts';
import { WorkUnderway } from './work-underway.ts';
import type { Lease } from './work-queue.ts';

export interface FunctionConsumerOptions {
  readonly functionName: string;
  readonly store: JobStore;
  readonly lockMs: number;
  /** Maximum wait of `close` for fetches, holders and settlements, in milliseconds. */
  readonly closeGraceMs: number;
  readonly log: RedisLog;
}

/** Most concurrent fetches: enough to fill a pipeline. */
const widestFetch = 16;
const shortestPauseMs = 50;
const longestPauseMs = 1_000;
/** If a fetch does not wait yet when it is stopped, the stop is repeated after this long. */
const stopAgainMs = 10;
/** More than any flow needs, and far below the time that marks a parked job. */
const longestMs = 365 * 24 * 3_600_000;

export class FunctionConsumer {
  readonly #options: FunctionConsumerOptions;
  readonly #takers = new WaitingTakers<Lease>();
  readonly #leases: HeldLeases;
  readonly #warn: (fields: object, message: string) => void;
  readonly #closing = new AbortController();
  readonly #fetches = new WorkUnderway();
  readonly #settlements = new WorkUnderway();
  #fetching = false;

  constructor(options: FunctionConsumerOptions) {
    const { store, lockMs, log } = options;
    this.#options = options;
    this.#leases = new HeldLeases({ lockMs, extend: (jobs) => store.extend(jobs) });
    this.#warn = rateLimitedWarnings(log, 10_000);
  }

  take(signal: AbortSignal): Promise<Lease | undefined> {
    if (this.#closing.signal.aborted) return Promise.resolve(undefined);
    const taken = this.#takers.wait(signal);
    void this.#fetchWhileWanted();
    return taken;
  }

  /** Aborts the holders' signals and gives them a moment to settle before the connection closes. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#takers.dismiss();
    this.#leases.warnAll();
    const grace = new AbortController();
    const graceOver = sleep(this.#options.closeGraceMs, undefined, { signal: grace.signal });
    await Promise.race([this.#quiet(grace.signal), graceOver]);
    grace.abort();
    await graceOver.catch(() => undefined);
    this.#leases.abandon();
    await this.#options.store.close();
  }

  /** Resolves when nothing is fetched, held or being settled. Nothing new begins while closing. */
  async #quiet(graceOver: AbortSignal): Promise<void> {
    await Promise.all([this.#leases.drained(), this.#endFetches(graceOver)]);
    await this.#settlements.ended();
  }

  async #endFetches(graceOver: AbortSignal): Promise<void> {
    while (this.#fetches.size > 0 && !graceOver.aborted) {
      await this.#options.store.stopWaiting();
      await Promise.race([this.#fetches.ended(), sleep(stopAgainMs)]);
    }
  }

  async #fetchWhileWanted(): Promise<void> {
    if (this.#fetching) return;
    this.#fetching = true;
    let width = 1;
    let pauseMs = shortestPauseMs;
    while (this.#takers.size > 0 && !this.#closing.signal.aborted) {
      try {
        const found = await this.#fetches.track(this.#fetch(Math.min(width, this.#takers.size)));
        width = found ? Math.min(2 * width, widestFetch) : 1;
        pauseMs = shortestPauseMs;
      } catch (error) {
        this.#complain(error, 'fetching from the queue failed');
        await sleep(pauseMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      }
    }
    this.#fetching = false;
  }

  /** True if every fetch found a job: there may be more. */
  async #fetch(width: number): Promise<boolean> {
    const block = width === 1;
    const fetches = Array.from({ length: width }, async () => {
      const job = await this.#options.store.next({ block });
      if (job !== undefined) await this.#handOver(job);
      return job !== undefined;
    });
    const results = await Promise.allSettled(fetches);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return results.every((result) => result.status === 'fulfilled' && result.value);
  }

  async #handOver(job: HeldJob): Promise<void> {
    const signal = this.#leases.hold(job);
    if (!this.#closing.signal.aborted && this.#takers.hand(this.#leaseOf(job, signal))) return;
    await this.#settle(job, () => this.#options.store.giveBack(job));
  }

  #leaseOf(job: HeldJob, signal: AbortSignal): Lease {
    const { store } = this.#options;
    const postpone = (postponement: Postponement) =>
      this.#settle(job, () => store.postpone(job, postponement));
    return {
      item: job.item,
      failures: job.failures,
      signal,
      ack: () => this.#settle(job, () => store.finish(job)),
      later: (afterMs, { failed }) =>
        postpone({ afterMs: Math.min(Math.max(0, afterMs), longestMs), failed }),
      park: (reason) => postpone({ afterMs: 0, failed: false, parkedFor: reason }),
    };
  }

  async #settle(job: HeldJob, write: () => Promise<void>): Promise<void> {
    // Released and tracked in one step: closing waits for the leases and then for the settlements.
    if (this.#leases.release(job)) await this.#settlements.track(this.#written(write));
  }

  async #written(write: () => Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const written = write().catch((error: unknown) => {
      if (!(error instanceof LostLease)) this.#complain(error, 'settling a queue item failed');
    });
    // After this long the lock is gone, and the write would come too late.
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.lockMs);
    });
    await Promise.race([written, tooLate]);
    clearTimeout(timer);
  }

  #complain(error: unknown, message: string): void {
    const detail = error instanceof Error ? error.message : String(error);
    this.#warn({ function: this.#options.functionName, error: detail }, message);
  }
}
