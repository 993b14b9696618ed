/**
 * One bridge in the election, judged by its requests, answers and actions, with time by its own monotonic
 * clock. Shares no code with the elector.
 *
 * candidacy-1 Another holder's lease is taken only if it was released, or has not changed for its duration since this
 *    bridge saw it change.
 * candidacy-2 A lease that it finds free it takes at once.
 * candidacy-3 It looks again within twice the pause, a holder within the pause. It waits for no answer longer than half
 *    of the time that a holder may run without one.
 * candidacy-4 It acts as the holder for `renewMs` from the beginning of its last confirmed renewal. After a stop it may
 *    continue until its timers have run.
 * candidacy-5 No two act as the holder at once, except for a stopped or dead one.
 * candidacy-6 A process without the lease publishes nothing.
 * candidacy-7 A process that has ended holds no lease, unless its release was lost or refused.
 */
import { MillraceError } from '#shared/domain/errors.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ElectionTimes } from '#shared/kube/election-options.ts';
import type { Machine } from '../world/machine.ts';
import type { Life, Timeline } from '../world/timeline.ts';

export interface CandidacyOptions {
  readonly identity: string;
  readonly life: Life;
  readonly machine: Machine;
  readonly timeline: Timeline;
  readonly times: ElectionTimes;
  readonly blame: (fault: string) => void;
}

/** One read of the lease and the write that may follow. */
interface Attempt {
  readonly startedMs: number;
  seen?: Seen;
}

interface Seen {
  readonly version: string | undefined;
  readonly holder: string;
  readonly durationMs: number;
}

/** Rounding of timers, which use binary fractions, in milliseconds. */
const roundingMs = 0.01;

export class Candidacy {
  readonly identity: string;
  readonly life: Life;
  /** Between the notifications that it leads and that it no longer does. */
  acts = false;
  readonly #options: CandidacyOptions;
  #version: string | undefined;
  #changedAtMs = 0;
  /** When its lease ends, by its own clock. */
  #untilMs = -Infinity;
  #attempt: Attempt | undefined;
  /** Since when no attempt is running. Undefined: one is, or the candidacy is over. */
  #idleSinceMs: number | undefined;
  #owesWrite = false;
  #isStopping = false;
  /** When the attempt with the running write began, by its own clock. */
  #writingSinceMs: number | undefined;
  /**
   * The result of a write since the last answer is unknown, or it was refused without a reason. A conflict
   * may then be with that write.
   */
  #isUnsure = false;

  constructor(options: CandidacyOptions) {
    this.#options = options;
    this.identity = options.identity;
    this.life = options.life;
  }

  begins(stopping: AbortSignal): void {
    this.#idleSinceMs = this.#nowMs;
    stopping.addEventListener('abort', () => (this.#isStopping = true), { once: true });
  }

  asks(): Attempt {
    this.#look();
    this.#pace();
    const attempt: Attempt = { startedMs: this.#nowMs };
    this.#attempt = attempt;
    this.#idleSinceMs = undefined;
    return attempt;
  }

  reads(attempt: Attempt, lease: KubeObject | undefined): void {
    this.#look();
    if (this.#attempt !== attempt) return;
    attempt.seen = seenIn(lease);
    this.#note(attempt.seen.version);
    this.#idleSinceMs = this.#nowMs;
    this.#owesWrite = this.#isFree(attempt.seen) && !this.#isStopping;
  }

  writes(): Attempt | undefined {
    this.#owesWrite = false;
    const attempt = this.#attempt;
    this.#look();
    if (attempt?.seen !== undefined && !this.#isFree(attempt.seen)) {
      this.#blame('candidacy-1', `took the lease that ${attempt.seen.holder} holds`);
    }
    this.#idleSinceMs = undefined;
    this.#writingSinceMs = attempt?.startedMs;
    return attempt;
  }

  /** A write was answered. */
  wrote(attempt: Attempt | undefined, lease: KubeObject): void {
    this.#look();
    const { resourceVersion } = lease.metadata;
    const isCurrent = this.#attempt === attempt;
    if (isCurrent || Number(resourceVersion) > Number(this.#version)) this.#note(resourceVersion);
    if (isCurrent) this.#settled(false);
    if (attempt === undefined) return;
    this.#untilMs = Math.max(this.#untilMs, attempt.startedMs + this.#options.times.renewMs);
    if (isCurrent) this.#idleSinceMs = this.#nowMs;
  }

  failed(attempt: Attempt | undefined, error: unknown): void {
    this.#look();
    if (this.#attempt !== attempt) return;
    this.#idleSinceMs = this.#nowMs;
    if (attempt?.seen !== undefined) this.#settled(this.#isUnsure || !isConflict(error));
  }

  releases(): Attempt {
    this.#look();
    this.#idleSinceMs = undefined;
    // An abandoned renewal may have been carried out, and then this release is refused.
    this.#isUnsure ||= this.#isGivenUp();
    this.#writingSinceMs = this.#nowMs;
    this.#attempt = { startedMs: this.#nowMs };
    return this.#attempt;
  }

  /** `error`: why it was not released. Undefined: it was. */
  released(attempt: Attempt, error: unknown): void {
    if (this.#attempt !== attempt) return;
    this.#idleSinceMs = this.#nowMs;
    this.#settled(error === undefined ? false : this.#isUnsure || !isConflict(error));
  }

  leads(does: boolean, others: readonly Candidacy[]): void {
    if (does) for (const other of others) this.#meets(other);
    else {
      this.#look();
      this.#idleSinceMs = this.#nowMs;
    }
    this.acts = does;
    if (does) this.#look();
  }

  /** A publication begins. */
  publishes(): void {
    this.#look();
    if (!this.acts) this.#blame('candidacy-6', 'published without holding the lease');
  }

  /** The candidacy has ended by itself; checks what the lease says. */
  ended(lease: KubeObject | undefined): void {
    this.#look();
    this.#idleSinceMs = undefined;
    if (this.#isUnsure || this.#isGivenUp() || seenIn(lease).holder !== this.identity) return;
    this.#blame('candidacy-7', 'kept the lease beyond its end');
  }

  /** Killed, or checked for the last time. */
  lastLook(): void {
    this.#look();
    this.#pace();
    this.acts = false;
  }

  get #nowMs(): number {
    return this.#options.machine.monotonicMs;
  }

  /** It is stopped or has just woken up. */
  get isAsleep(): boolean {
    return this.#options.timeline.nowMs <= this.life.stoppedUntilMs;
  }

  /** The running write has exceeded the time limit of an answer, or the term has ended. */
  #isGivenUp(): boolean {
    if (this.#writingSinceMs === undefined) return false;
    const waitedMs = this.#nowMs - this.#writingSinceMs;
    const isOver = this.#nowMs >= this.#untilMs - roundingMs;
    return isOver || waitedMs >= this.#options.times.renewMs / 2 - roundingMs;
  }

  #settled(isUnsure: boolean): void {
    this.#writingSinceMs = undefined;
    this.#isUnsure = isUnsure;
  }

  #meets(other: Candidacy): void {
    if (other === this || !other.acts || !other.life.alive || other.isAsleep) return;
    this.#blame('candidacy-5', `leads while ${other.life.name} does`);
  }

  #note(version: string | undefined): void {
    if (version !== this.#version) this.#changedAtMs = this.#nowMs;
    this.#version = version;
  }

  #isFree({ holder, durationMs }: Seen): boolean {
    if (holder === '' || holder === this.identity) return true;
    return this.#nowMs - this.#changedAtMs >= Math.max(durationMs, this.#options.times.leaseMs);
  }

  /** Called at every request, answer and action. */
  #look(): void {
    if (this.isAsleep) return;
    const lateMs = this.#nowMs - this.#untilMs;
    if (this.acts && lateMs > roundingMs) {
      this.#blame('candidacy-4', `acts as the holder ${lateMs.toFixed(1)} ms after its term`);
    }
    if (this.#owesWrite && !this.#isStopping) this.#blame('candidacy-2', 'left a free lease');
    this.#owesWrite = false;
  }

  #pace(): void {
    if (this.#isStopping || this.isAsleep || !this.life.alive) return;
    const { retryMs, renewMs } = this.#options.times;
    const pauseMs = this.acts ? retryMs : 2 * retryMs;
    const sinceMs = this.#idleSinceMs ?? (this.#attempt?.startedMs ?? Infinity) + renewMs / 2;
    const pausedMs = this.#nowMs - Math.max(sinceMs, this.#wokeMs());
    if (pausedMs > pauseMs + roundingMs) {
      this.#blame('candidacy-3', `did not look after its lease for ${pausedMs.toFixed(0)} ms`);
    }
  }

  /** When it last woke up, by its own clock. */
  #wokeMs(): number {
    return this.life.stoppedUntilMs * this.#options.machine.rate;
  }

  /** A dead process's work in memory has no effect. */
  #blame(rule: string, what: string): void {
    if (!this.life.alive) return;
    this.#options.blame(`${rule}: ${this.life.name} ${what}`);
  }
}

/** The API server's own conflict: another writer was first. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof MillraceError) || error.code !== 'MR_API_CONFLICT') return false;
  return error.fields['detail'] !== 'injected';
}

function seenIn(lease: KubeObject | undefined): Seen {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = (lease?.spec ?? {}) as {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
  };
  return {
    version: lease?.metadata.resourceVersion,
    holder: holderIdentity,
    durationMs: leaseDurationSeconds * 1_000,
  };
}
