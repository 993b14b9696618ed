/**
 * One leader of many processes, by a Lease. It saves double work; nothing is unsafe without it.
 *
 * E1 Time is measured here, by a clock that only goes forward: a lease has run out when it has not
 *    changed for its duration since this process saw it change. Stamps of others are never compared,
 *    so a skewed or stepped clock steals no lease (as client-go's leaderelection).
 * E2 A leader stops by itself `renewMs` after the start of its last successful renewal, whatever its
 *    requests do. That is before `leaseMs` is over for anybody who saw that renewal.
 * E3 A process begins no second term while the work of its last one has not returned.
 * E4 The lease is released only after the work has returned.
 */
import { withJitter } from '#shared/domain/backoff.ts';
import { errorClassOf } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import {
  defaultElectionTimes,
  type ElectionOptions,
  type ElectionTimes,
} from './election-options.ts';
import {
  leaseRecord,
  newLease,
  released,
  renewed,
  takeover,
  type LeaseRecord,
} from './lease-record.ts';

export type { ElectionOptions, ElectionTimes } from './election-options.ts';

/** Takes part until the signal aborts. Rejects only with what the work rejects with. */
export async function runElected(options: ElectionOptions): Promise<void> {
  const elector = new Elector(options);
  while (!options.signal.aborted) {
    if (await elector.campaign()) await elector.serve();
  }
}

class Elector {
  readonly #options: ElectionOptions;
  readonly #times: ElectionTimes;
  #seen: LeaseRecord | undefined;
  #seenChangeAtMs = 0;
  #renewedAtMs = 0;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#times = options.times ?? defaultElectionTimes;
  }

  /** Returns true when the lease is ours, false when the candidacy ended. */
  async campaign(): Promise<boolean> {
    const { clock, random, signal } = this.#options;
    while (!signal.aborted) {
      if (await this.#attempt()) return true;
      await clock.sleep(withJitter(2 * this.#times.retryMs, random()), signal);
    }
    return false;
  }

  /** One term: works and renews until the lease is lost, the candidacy or the work ends. */
  async serve(): Promise<void> {
    const { onElected, onLost, signal } = this.#options;
    const term = new AbortController();
    const endTerm = (): void => term.abort();
    signal.addEventListener('abort', endTerm, { once: true });
    if (signal.aborted) endTerm();
    const work = Promise.resolve()
      .then(() => onElected(term.signal))
      .catch((error: unknown) => {
        endTerm();
        throw error;
      });
    try {
      await Promise.race([this.#renewUntilLost(term.signal), rejectionOf(work)]);
      if (!term.signal.aborted) onLost?.();
    } finally {
      endTerm();
      signal.removeEventListener('abort', endTerm);
      await work.finally(() => this.#release());
    }
  }

  async #renewUntilLost(term: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!term.aborted) {
      const leftMs = this.#leftMs();
      if (leftMs <= 0) return;
      await clock.sleep(Math.min(this.#times.retryMs, leftMs), term);
      if ((await this.#renewInTime(term)) === 'taken') return;
    }
  }

  /** Of the term, unless it is renewed. */
  #leftMs(): number {
    return Math.max(0, this.#renewedAtMs + this.#times.renewMs - this.#options.clock.monotonicMs());
  }

  /** Does not wait for an attempt beyond the end of the term (E2); that one's result is ignored. */
  async #renewInTime(term: AbortSignal): Promise<'ours' | 'taken' | 'unknown'> {
    if (term.aborted) return 'unknown';
    const leftMs = this.#leftMs();
    const cancel = new AbortController();
    const overdue = this.#options.clock
      .sleep(leftMs, AbortSignal.any([term, cancel.signal]))
      .then(() => 'unknown' as const);
    const attempt = this.#attempt().then((ours) => {
      if (ours) return 'ours';
      const holder = this.#seen?.holder;
      return holder === undefined || holder === this.#options.identity ? 'unknown' : 'taken';
    });
    return Promise.race([attempt, overdue]).finally(() => cancel.abort());
  }

  /** Takes or renews the lease if it may. A fault is told and counts as no. */
  async #attempt(): Promise<boolean> {
    try {
      return await this.#takeOrRenew();
    } catch (error) {
      this.#tell(error);
      return false;
    }
  }

  #tell(error: unknown): void {
    // A conflict is no fault: another candidate was faster, or a late request of ours.
    if (errorClassOf(error) !== 'conflict') this.#options.onFault?.(error);
  }

  async #takeOrRenew(): Promise<boolean> {
    const { client, lease, identity } = this.#options;
    const startedMs = this.#options.clock.monotonicMs();
    const found = await client.get(resources.Lease, lease);
    if (found === undefined) {
      const created = await client.create(resources.Lease, newLease(lease, this.#holding()));
      return this.#held(leaseRecord(created), startedMs);
    }
    const record = this.#observe(leaseRecord(found));
    if (record.holder !== identity && !this.#hasRunOut(record)) return false;
    const change = record.holder === identity ? renewed : takeover;
    const patched = await client.patch(resources.Lease, lease, change(record, this.#holding()), {
      type: 'merge',
    });
    return this.#held(leaseRecord(patched), startedMs);
  }

  #observe(record: LeaseRecord): LeaseRecord {
    if (this.#seen?.resourceVersion !== record.resourceVersion) {
      this.#seenChangeAtMs = this.#options.clock.monotonicMs();
    }
    this.#seen = record;
    return record;
  }

  #hasRunOut({ holder, durationMs }: LeaseRecord): boolean {
    if (holder === '') return true;
    const patienceMs = Math.max(durationMs ?? 0, this.#times.leaseMs);
    return this.#options.clock.monotonicMs() - this.#seenChangeAtMs >= patienceMs;
  }

  /** The term counts from before the request, which the server carried out some time later (E2). */
  #held(record: LeaseRecord, startedMs: number): true {
    this.#observe(record);
    this.#renewedAtMs = startedMs;
    return true;
  }

  #holding(): { identity: string; leaseMs: number; nowMs: number } {
    const { identity, clock } = this.#options;
    return { identity, leaseMs: this.#times.leaseMs, nowMs: clock.now() };
  }

  /** A lease that cannot be released runs out by itself. */
  async #release(): Promise<void> {
    const { client, lease, identity, clock } = this.#options;
    if (this.#seen?.holder !== identity) return;
    try {
      const record = this.#seen;
      await client.patch(resources.Lease, lease, released(record, clock.now()), { type: 'merge' });
    } catch (error) {
      this.#tell(error);
    } finally {
      this.#seen = undefined;
    }
  }
}

/** Settles only when the promise rejects: a leader whose work has returned keeps the lease. */
function rejectionOf(work: Promise<void>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject);
  });
}
