/**
 * The cluster's time, for decisions that compare it with times that the cluster wrote: a machine
 * whose clock is wrong must neither delete a finished flow before its time nor retry too early.
 *
 * K1 Every answer of the API server bounds how far its clock is from this machine's monotonic one: it
 *    wrote its Date, in whole seconds, between our question and its answer. Bounds are intersected.
 * K2 The machine's own clock counts where the bounds allow it. Where they do not, the nearest time
 *    counts that they allow, at most a second above their lower end: never ahead of the server by
 *    more than that second, behind it by at most the length of the fastest request.
 * K3 Setting the machine's clock moves it within those bounds only.
 * K4 An answer that contradicts the bounds replaces them at once when it says that it is earlier, or
 *    when the machine's clock agrees with it; one that says that it is later, when it is the third in a
 *    row. So of several API servers with clocks apart the one that is behind is followed, as is a
 *    server whose clock is set: what is due comes late rather than early.
 * K5 Without any usable answer it is the machine's own clock.
 */
import type { WaitingClock } from '#shared/domain/clock.ts';
import { parseHttpDate } from '#shared/domain/time.ts';
import type { ServerTime } from './api-transport.ts';

export interface ClusterClockOptions {
  /** The machine's. */
  readonly own: WaitingClock;
  readonly logger: { warn(fields: object, message: string): void };
}

/** The resolution of a Date header, in milliseconds. */
const secondMs = 1_000;
/** How fast two clocks may drift apart: twice the 500 ppm by which clocks are slewed at most. */
const driftPerMs = 0.001;
/** So many answers in a row that say that it is later are believed. */
const believedAfter = 3;
/** No server's clock is right that shows a time before this: a dead battery, not a cluster. */
const earliestDateMs = Date.parse('2020-01-01T00:00:00Z');
/** Beyond this a warning is logged, in milliseconds. */
const worthTellingMs = 30_000;

/** What must be added to monotonic milliseconds to have the cluster's, as heard at `atMs`. */
interface Bounds {
  readonly lowMs: number;
  readonly highMs: number;
  readonly atMs: number;
}

export class ClusterClock implements WaitingClock {
  readonly #own: WaitingClock;
  readonly #logger: ClusterClockOptions['logger'];
  #bounds: Bounds | undefined;
  /** Answers in a row that said that it is later. */
  #later = 0;
  #isTold = false;

  constructor({ own, logger }: ClusterClockOptions) {
    this.#own = own;
    this.#logger = logger;
  }

  now(): number {
    const nowMs = this.#own.now();
    return nowMs - this.#aheadMs(nowMs);
  }

  monotonicMs(): number {
    return this.#own.monotonicMs();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#own.sleep(ms, signal);
  }

  /** By how much the machine's clock is certainly ahead of the cluster's (K2), in milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs(this.#own.now());
  }

  /** To be called with every answer of the API server; a date that is none is passed over. */
  hear({ date, askedMs, answeredMs }: ServerTime): void {
    const dateMs = parseHttpDate(date);
    if (dateMs === undefined || dateMs < earliestDateMs) return;
    const heard = {
      lowMs: dateMs - answeredMs,
      highMs: dateMs + secondMs - askedMs,
      atMs: answeredMs,
    };
    this.#bounds = this.#agreed(heard);
    this.#tellWhenFarOff();
  }

  #agreed(heard: Bounds): Bounds {
    const known = this.#widened(heard.atMs);
    if (known === undefined) return heard;
    const lowMs = Math.max(known.lowMs, heard.lowMs);
    const highMs = Math.min(known.highMs, heard.highMs);
    if (lowMs <= highMs) {
      this.#later = 0;
      return { lowMs, highMs, atMs: heard.atMs };
    }
    this.#later += 1;
    const isBelieved = heard.highMs < known.lowMs || this.#isOwn(heard);
    if (!isBelieved && this.#later < believedAfter) return known;
    this.#later = 0;
    return heard;
  }

  #isOwn({ lowMs, highMs }: Bounds): boolean {
    const offsetMs = this.#own.now() - this.#own.monotonicMs();
    return offsetMs >= lowMs && offsetMs <= highMs;
  }

  /** As the bounds are by now, drift included. */
  #widened(atMs: number): Bounds | undefined {
    if (this.#bounds === undefined) return undefined;
    const { lowMs, highMs } = this.#bounds;
    const driftMs = Math.max(0, atMs - this.#bounds.atMs) * driftPerMs;
    return { lowMs: lowMs - driftMs, highMs: highMs + driftMs, atMs };
  }

  #aheadMs(nowMs: number): number {
    const monotonicMs = this.#own.monotonicMs();
    const bounds = this.#widened(monotonicMs);
    if (bounds === undefined) return 0;
    const latestMs = Math.min(bounds.highMs, bounds.lowMs + secondMs);
    const offsetMs = nowMs - monotonicMs;
    return Math.round(offsetMs - Math.min(Math.max(offsetMs, bounds.lowMs), latestMs));
  }

  /** Once for as long as it lasts. */
  #tellWhenFarOff(): void {
    const { aheadMs } = this;
    const isFarOff = Math.abs(aheadMs) > worthTellingMs;
    if (isFarOff && !this.#isTold) {
      const aheadSeconds = Math.round(aheadMs / 1_000);
      this.#logger.warn({ aheadSeconds }, "the machine's clock differs from the API server's");
    }
    this.#isTold = isFarOff;
  }
}
