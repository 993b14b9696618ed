/**
 * The cluster's time, for decisions that compare it with times that the cluster wrote. A machine whose
 * clock is wrong must neither delete a finished flow too early nor retry too early.
 *
 * clock-1 Every answer of the API server bounds the offset of its clock from this machine's monotonic one.
 *    The server wrote its Date, in whole seconds, between the request and its answer. The bounds are
 *    intersected.
 * clock-2 The machine's own clock counts if it is within the bounds. Otherwise the nearest time within them
 *    counts, at most a second above their lower end. So the time is never ahead of the server by more
 *    than that second, and behind it by at most the length of the fastest request.
 * clock-3 Setting the machine's clock moves the time within those bounds only.
 * clock-4 An answer that contradicts the bounds with an earlier time replaces them at once. So does one that
 *    the machine's clock agrees with. One with a later time replaces them if it is the third in a row.
 *    So of several API servers the one that is behind is followed, and so is a server whose clock is
 *    set: due work comes late rather than early.
 * clock-5 Without any usable answer, the machine's own clock counts.
 */
import type { WaitingClock } from '#shared/domain/clock.ts';
import { parseHttpDate } from '#shared/domain/time.ts';
import type { ServerTime } from './api-transport.ts';

export interface ClusterClockOptions {
  /** The machine's clock. */
  readonly own: WaitingClock;
  readonly logger: { warn(fields: object, message: string): void };
}

/** The resolution of a Date header, in milliseconds. */
const secondMs = 1_000;
/** Largest drift between two clocks: twice the 500 ppm by which clocks are slewed at most. */
const driftPerMs = 0.001;
/** So many later answers in a row are believed. */
const believedAfter = 3;
/** A server clock with an earlier time is wrong: a dead battery, for example. */
const earliestDateMs = Date.parse('2020-01-01T00:00:00Z');
/** A larger offset is logged as a warning, in milliseconds. */
const farOffMs = 30_000;

/** The offset from monotonic milliseconds to the cluster's time, as known at `atMs`. */
interface Bounds {
  readonly lowMs: number;
  readonly highMs: number;
  readonly atMs: number;
}

export class ClusterClock implements WaitingClock {
  readonly #own: WaitingClock;
  readonly #logger: ClusterClockOptions['logger'];
  #bounds: Bounds | undefined;
  /** Later answers in a row. */
  #later = 0;
  #isWarned = false;

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

  /** By how much the machine's clock is certainly ahead of the cluster's (clock-2), in milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs(this.#own.now());
  }

  /** Call it with every answer of the API server. An invalid date is ignored. */
  hear({ date, askedMs, answeredMs }: ServerTime): void {
    const dateMs = parseHttpDate(date);
    if (dateMs === undefined || dateMs < earliestDateMs) return;
    const heard = {
      lowMs: dateMs - answeredMs,
      highMs: dateMs + secondMs - askedMs,
      atMs: answeredMs,
    };
    this.#bounds = this.#agreed(heard);
    this.#warnWhenFarOff();
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

  /** The current bounds, including drift. */
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

  /** Warns once per period of a large offset. */
  #warnWhenFarOff(): void {
    const { aheadMs } = this;
    const isFarOff = Math.abs(aheadMs) > farOffMs;
    if (isFarOff && !this.#isWarned) {
      const aheadSeconds = Math.round(aheadMs / 1_000);
      this.#logger.warn({ aheadSeconds }, "the machine's clock differs from the API server's");
    }
    this.#isWarned = isFarOff;
  }
}
