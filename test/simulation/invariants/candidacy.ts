/**
 * One bridge in the election, judged by what it asked, was told and did, with time by its own
 * monotonic clock. Shares nothing with the elector.
 *
 * LE1 Somebody else's lease is taken only when it was released, or has not changed for its duration
 *     since this bridge saw it change.
 * LE2 A lease that it finds free it takes in the same moment.
 * LE3 It looks again within twice the pause, a holder within the pause, and waits for no answer
 *     longer than half of what a holder may go without one.
 * LE4 It acts as the holder for `renewMs` from the beginning of the last renewal that it was told of.
 *     Woken from a stop it may go on in that one moment, until its timers have run.
 * LE5 No two act as the holder at once, but for one that is stopped or dead.
 * LE6 A process without the lease publishes nothing.
 * LE7 Who has ended holds no lease, unless its release was lost or refused.
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

/** One look at the lease and, where it may, the write that follows. */
interface Attempt {
  readonly startedMs: number;
  seen?: Seen;
}

interface Seen {
  readonly version: string | undefined;
  readonly holder: string;
  readonly durationMs: number;
}

/** Timers and what they wait for are reckoned in binary fractions, in milliseconds. */
const roundingMs = 0.01;

export class Candidacy {
  readonly identity: string;
  readonly life: Life;
  /** Between being told that it leads and that it does no more. */
  acts = false;
  readonly #options: CandidacyOptions;
  #version: string | undefined;
  #changedAtMs = 0;
  /** It holds the lease until then, by its own clock. */
  #untilMs = -Infinity;
  #attempt: Attempt | undefined;
  /** Nothing has been under way since; undefined: something is, or the candidacy is over. */
  #idleSinceMs: number | undefined;
  #owesWrite = false;
  #isStopping = false;
  /** When the attempt began whose write is under way, by its own clock. */
  #writingSinceMs: number | undefined;
  /**
   * Whether a write since the last that was answered was carried out is not known, or it was refused for no
   * reason: then a conflict may be with that one.
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
      this.#blame('LE1', `took the lease that ${attempt.seen.holder} holds`);
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
    // A renewal that was given up may have been carried out; then this release is refused.
    this.#isUnsure ||= this.#isGivenUp();
    this.#writingSinceMs = this.#nowMs;
    this.#attempt = { startedMs: this.#nowMs };
    return this.#attempt;
  }

  /** `error`: why it was not released; undefined: it was. */
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
    if (!this.acts) this.#blame('LE6', 'published without holding the lease');
  }

  /** The candidacy is over by itself: what does the lease say? */
  ended(lease: KubeObject | undefined): void {
    this.#look();
    this.#idleSinceMs = undefined;
    if (this.#isUnsure || this.#isGivenUp() || seenIn(lease).holder !== this.identity) return;
    this.#blame('LE7', 'kept the lease beyond its end');
  }

  /** Killed, or looked at for the last time. */
  lastLook(): void {
    this.#look();
    this.#pace();
    this.acts = false;
  }

  get #nowMs(): number {
    return this.#options.machine.monotonicMs;
  }

  /** It is stopped, or has just woken up. */
  get isAsleep(): boolean {
    return this.#options.timeline.nowMs <= this.life.stoppedUntilMs;
  }

  /** The write under way was waited for as long as an answer is, or to the end of the term. */
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
    this.#blame('LE5', `leads while ${other.life.name} does`);
  }

  #note(version: string | undefined): void {
    if (version !== this.#version) this.#changedAtMs = this.#nowMs;
    this.#version = version;
  }

  #isFree({ holder, durationMs }: Seen): boolean {
    if (holder === '' || holder === this.identity) return true;
    return this.#nowMs - this.#changedAtMs >= Math.max(durationMs, this.#options.times.leaseMs);
  }

  /** At everything that it asks, hears or does. */
  #look(): void {
    if (this.isAsleep) return;
    const lateMs = this.#nowMs - this.#untilMs;
    if (this.acts && lateMs > roundingMs) {
      this.#blame('LE4', `acts as the holder ${lateMs.toFixed(1)} ms after its term`);
    }
    if (this.#owesWrite && !this.#isStopping) this.#blame('LE2', 'left a free lease');
    this.#owesWrite = false;
  }

  #pace(): void {
    if (this.#isStopping || this.isAsleep || !this.life.alive) return;
    const { retryMs, renewMs } = this.#options.times;
    const pauseMs = this.acts ? retryMs : 2 * retryMs;
    const sinceMs = this.#idleSinceMs ?? (this.#attempt?.startedMs ?? Infinity) + renewMs / 2;
    const pausedMs = this.#nowMs - Math.max(sinceMs, this.#wokeMs());
    if (pausedMs > pauseMs + roundingMs) {
      this.#blame('LE3', `did not look after its lease for ${pausedMs.toFixed(0)} ms`);
    }
  }

  /** When it woke up last, by its own clock. */
  #wokeMs(): number {
    return this.life.stoppedUntilMs * this.#options.machine.rate;
  }

  /** What the dead still do in memory reaches nobody. */
  #blame(rule: string, what: string): void {
    if (!this.life.alive) return;
    this.#options.blame(`${rule}: ${this.life.name} ${what}`);
  }
}

/** Of the API server's own: somebody else has written. */
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
