/**
 * The clocks of one machine, which outlive its processes. One oscillator drives both. The wall clock
 * may be wrong from the start and can be set; the monotonic one cannot.
 */
import type { ClockPlan } from '../scenario.ts';
import type { Timeline } from './timeline.ts';

/** The start of virtual time, in milliseconds since the epoch. */
export const beginningMs = Date.parse('2026-03-02T08:00:00Z');

export const rightClock: ClockPlan = { offsetMs: 0, driftPpm: 0 };

export class Machine {
  /** Milliseconds of its clocks per millisecond of true time. */
  readonly rate: number;
  readonly #timeline: Timeline;
  readonly #settings: { readonly atMs: number; readonly byMs: number }[] = [];
  #offsetMs: number;
  #latestOffsetMs: number;

  constructor(timeline: Timeline, { offsetMs, driftPpm }: ClockPlan = rightClock) {
    this.#timeline = timeline;
    this.rate = 1 + driftPpm / 1e6;
    this.#offsetMs = offsetMs;
    this.#latestOffsetMs = offsetMs;
  }

  /** The wall time in milliseconds since the epoch. */
  get wallMs(): number {
    return beginningMs + Math.floor(this.monotonicMs) + this.#offsetMs;
  }

  get monotonicMs(): number {
    return this.#timeline.nowMs * this.rate;
  }

  /** The largest offset that the wall clock was set to, without drift, in milliseconds. */
  get latestOffsetMs(): number {
    return this.#latestOffsetMs;
  }

  /** Sets the wall clock forward or back. */
  set(byMs: number): void {
    if (byMs === 0) return;
    this.#offsetMs += byMs;
    this.#latestOffsetMs = Math.max(this.#latestOffsetMs, this.#offsetMs);
    this.#settings.push({ atMs: this.#timeline.nowMs, byMs });
  }

  /** Sets it to this offset in milliseconds. */
  setTo(offsetMs: number): void {
    this.set(offsetMs - this.#offsetMs);
  }

  /** The changes of the wall clock since then, in virtual milliseconds. */
  settingsSince(atMs: number): readonly number[] {
    return this.#settings.filter((setting) => setting.atMs >= atMs).map(({ byMs }) => byMs);
  }
}
