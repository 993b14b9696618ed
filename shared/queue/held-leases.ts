/**
 * Keeps the locks of running jobs alive and notifies the holder of a lost one.
 *
 * A lease ends in one of three ways. Its holder settles it, or the lock could not be prolonged, or
 * the store did not answer for as long as the lock lasts. In the last case another process may hold
 * the job already. That time is measured by the monotonic clock, from the request and not from the
 * answer, because the lock may run from any moment in between (queue-8).
 */
import type { HeldJob } from './job-store.ts';

interface HeldLease {
  readonly job: HeldJob;
  readonly lost: AbortController;
  /** By the monotonic clock. */
  lockedUntilMs: number;
}

export interface HeldLeasesOptions {
  /** A lock lasts for this time without being prolonged, in milliseconds. */
  readonly lockMs: number;
  /** Prolongs the locks and returns the jobs whose lock is gone. */
  readonly extend: (jobs: readonly HeldJob[]) => Promise<readonly HeldJob[]>;
}

/** A lock is prolonged this many times within its duration. */
const extensionsPerLock = 4;

export class HeldLeases {
  readonly #options: HeldLeasesOptions;
  readonly #held = new Map<HeldJob, HeldLease>();
  #timer: NodeJS.Timeout | undefined;
  #extending = false;
  #emptied: (() => void) | undefined;

  constructor(options: HeldLeasesOptions) {
    this.#options = options;
  }

  hold(job: HeldJob): AbortSignal {
    const lost = new AbortController();
    this.#held.set(job, { job, lost, lockedUntilMs: job.askedMs + this.#options.lockMs });
    this.#timer ??= setInterval(
      () => void this.#prolong(),
      this.#options.lockMs / extensionsPerLock,
    );
    return lost.signal;
  }

  /** True if the lease was still held: then only the caller settles the job. */
  release(job: HeldJob): boolean {
    const held = this.#held.delete(job);
    if (this.#held.size === 0) this.#rest();
    return held;
  }

  /** Notifies all holders to stop. They may still settle until `abandon`. */
  warnAll(): void {
    for (const { lost } of this.#held.values()) lost.abort(new Error('queue is closing'));
  }

  /** Resolves when all leases are released, given up or lost. */
  async drained(): Promise<void> {
    if (this.#held.size === 0) return;
    await new Promise<void>((resolve) => (this.#emptied = resolve));
  }

  /** Drops all leases. Their jobs are taken again when the locks have run out. */
  abandon(): void {
    this.#held.clear();
    this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#emptied?.();
  }

  async #prolong(): Promise<void> {
    this.#loseExpired();
    if (this.#extending || this.#held.size === 0) return;
    this.#extending = true;
    const leases = [...this.#held.values()];
    const askedMs = performance.now();
    try {
      const gone = new Set(await this.#options.extend(leases.map(({ job }) => job)));
      for (const lease of leases) {
        if (gone.has(lease.job)) this.#lose(lease);
        else lease.lockedUntilMs = askedMs + this.#options.lockMs;
      }
    } catch {
      // No answer: the next tick asks again, and the locks run out by the clock.
    } finally {
      this.#extending = false;
    }
  }

  #loseExpired(): void {
    const nowMs = performance.now();
    for (const lease of [...this.#held.values()]) {
      if (lease.lockedUntilMs < nowMs) this.#lose(lease);
    }
  }

  #lose(lease: HeldLease): void {
    if (this.release(lease.job)) lease.lost.abort(new Error('lease lost'));
  }
}
