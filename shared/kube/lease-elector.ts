/**
 * Elects one leader of many processes by a Lease. It saves double work; without it nothing is unsafe.
 *
 * elector-1 Time is measured by this process's monotonic clock. A lease has expired if it has not changed for
 *    its duration since this process saw it change. Timestamps of others are never compared, so a
 *    skewed or stepped clock steals no lease (as client-go's leaderelection).
 * elector-2 A leader stops by itself `renewMs` after the start of its last successful renewal, whatever its
 *    requests do. Every process that saw that renewal waits longer, namely `leaseMs`.
 * elector-3 A process begins no second term while the work of its last one has not returned.
 * elector-4 The lease is released only after the work has returned and the running write was answered or given
 *    up. A renewal that overtook the release would keep the lease from the next leader. A lease that
 *    was won by an abandoned attempt is released too, when the candidacy ends.
 * elector-5 An attempt that is not answered within half of `renewMs` is given up and another follows. So one
 *    slow answer costs no leadership and delays no take-over (as client-go's elector, whose client
 *    gives up after renewDeadline/2). An abandoned attempt writes nothing more. A write that it had
 *    sent counts from its start, if it was carried out.
 */
import { withJitter } from '#shared/domain/backoff.ts';
import { errorClassOf, MillraceError } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import { underEither } from '#shared/domain/under-either.ts';
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
import { isNewer } from '#shared/domain/resource-version.ts';

export type { ElectionOptions, ElectionTimes } from './election-options.ts';

/** The result of an attempt for the lease. */
type Verdict = 'ours' | 'taken' | 'unknown';

/** Takes part until the signal aborts. Rejects only with the error of the work. */
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
  #renewedAtMs = -Infinity;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#times = options.times ?? defaultElectionTimes;
  }

  /** True: this process has the lease. False: the candidacy ended and nothing is kept (elector-4). */
  async campaign(): Promise<boolean> {
    const { clock, random, signal } = this.#options;
    while (!signal.aborted) {
      if ((await this.#attemptWithin(this.#patienceMs, signal)) === 'ours') return true;
      await clock.sleep(withJitter(2 * this.#times.retryMs, random()), signal);
    }
    await this.#release();
    return false;
  }

  /** One term: works and renews until the lease is lost, the candidacy ends or the work ends. */
  async serve(): Promise<void> {
    const over = new AbortController();
    await underEither([this.#options.signal, over.signal], (term) => this.#serveTerm(term, over));
  }

  async #serveTerm(term: AbortSignal, over: AbortController): Promise<void> {
    const { onElected, onLost } = this.#options;
    const work = Promise.resolve().then(() => onElected(term));
    try {
      await Promise.race([this.#renewUntilLost(term), rejectionOf(work)]);
      if (!term.aborted) onLost?.();
    } finally {
      over.abort();
      try {
        await work;
      } finally {
        await this.#release();
      }
    }
  }

  async #renewUntilLost(term: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!term.aborted) {
      await clock.sleep(Math.min(this.#times.retryMs, this.#leftMs()), term);
      if (this.#leftMs() <= 0) return;
      if ((await this.#renewInTime(term)) === 'taken') return;
    }
  }

  /** Time left in the term without a renewal. */
  #leftMs(): number {
    return Math.max(0, this.#renewedAtMs + this.#times.renewMs - this.#options.clock.monotonicMs());
  }

  /** Never waits for an attempt beyond the end of the term (elector-2). */
  async #renewInTime(term: AbortSignal): Promise<Verdict> {
    return this.#attemptWithin(Math.min(this.#leftMs(), this.#patienceMs), term);
  }

  /** Time limit of one attempt (elector-5). */
  get #patienceMs(): number {
    return this.#times.renewMs / 2;
  }

  /** Stops reading when `stop` aborts, but waits for a write that was already sent. */
  async #attemptWithin(limitMs: number, stop: AbortSignal): Promise<Verdict> {
    const over = new AbortController();
    const answered = new AbortController();
    const overdue = this.#options.clock.sleep(limitMs, answered.signal).then((): Verdict => {
      if (!answered.signal.aborted) this.#report(this.#unanswered(limitMs));
      return 'unknown';
    });
    const attempt = underEither([stop, over.signal], (either) => this.#attempt(either));
    return Promise.race([attempt, overdue]).finally(() => {
      answered.abort();
      over.abort();
    });
  }

  /** A fault is reported and counts as no answer. */
  async #attempt(over: AbortSignal): Promise<Verdict> {
    try {
      return await this.#takeOrRenew(over);
    } catch (error) {
      if (!over.aborted) this.#report(error);
      return 'unknown';
    }
  }

  #unanswered(limitMs: number): MillraceError {
    const { namespace, name } = this.#options.lease;
    const path = `leases/${namespace}/${name}`;
    const detail = `no answer within ${Math.round(limitMs)} ms`;
    return new MillraceError('MR_API_UNREACHABLE', { verb: 'renew', path, detail });
  }

  #report(error: unknown): void {
    // A conflict is not a fault: another candidate was faster, or a late request of this process was.
    if (errorClassOf(error) !== 'conflict') this.#options.onFault?.(error);
  }

  async #takeOrRenew(over: AbortSignal): Promise<Verdict> {
    const { client, lease, identity } = this.#options;
    const startedMs = this.#options.clock.monotonicMs();
    const found = await client.get(resources.Lease, lease, over);
    over.throwIfAborted();
    if (found === undefined) {
      const created = await client.create(resources.Lease, newLease(lease, this.#holding()));
      return this.#held(leaseRecord(created), startedMs, over);
    }
    const record = this.#observe(leaseRecord(found));
    if (record.holder !== identity && !this.#hasRunOut(record)) return 'taken';
    const change = record.holder === identity ? renewed : takeover;
    const patched = await client.patch(resources.Lease, lease, change(record, this.#holding()), {
      type: 'merge',
    });
    return this.#held(leaseRecord(patched), startedMs, over);
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

  /**
   * The term counts from before the request, because the server carried it out some time later (elector-2).
   */
  #held(record: LeaseRecord, startedMs: number, over: AbortSignal): Verdict {
    const known = this.#seen?.resourceVersion;
    // The late answer to an abandoned attempt may be outdated.
    const isPast = over.aborted && known !== undefined && isNewer(known, record.resourceVersion);
    if (!isPast) this.#observe(record);
    this.#renewedAtMs = Math.max(this.#renewedAtMs, startedMs);
    return this.#leftMs() > 0 ? 'ours' : 'unknown';
  }

  #holding(): { identity: string; leaseMs: number; nowMs: number } {
    const { identity, clock } = this.#options;
    return { identity, leaseMs: this.#times.leaseMs, nowMs: clock.now() };
  }

  /** A lease that cannot be released in time expires by itself (elector-5). */
  async #release(): Promise<void> {
    const { client, lease, identity, clock } = this.#options;
    const record = this.#seen;
    if (record?.holder !== identity) return;
    const answered = new AbortController();
    const patch = released(record, clock.now());
    const release = client
      .patch(resources.Lease, lease, patch, { type: 'merge' })
      .catch((error: unknown) => this.#report(error));
    await Promise.race([release, clock.sleep(this.#patienceMs, answered.signal)]);
    answered.abort();
    this.#seen = undefined;
  }
}

/** Settles only when the promise rejects: a leader whose work has returned keeps the lease. */
function rejectionOf(work: Promise<void>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject);
  });
}
