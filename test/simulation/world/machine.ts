/**
 * The clocks of one machine. One oscillator drives both: the wall clock, which may be wrong from the
 * start and is set by people, and the monotonic one, which nobody sets. They survive the processes.
 */
import type { ClockPlan } from '../scenario.ts';
import type { Timeline } from './timeline.ts';

/** When virtual time begins, in milliseconds since the epoch. */
export const beginningMs = Date.parse('2026-03-02T08:00:00Z');

export const rightClock: ClockPlan = { offsetMs: 0, driftPpm: 0 };

export class Machine {
  /** Milliseconds of its clocks in one of true time. */
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

  /** What the wall clock shows, milliseconds since the epoch. */
  get wallMs(): number {
    return beginningMs + Math.floor(this.monotonicMs) + this.#offsetMs;
  }

  get monotonicMs(): number {
    return this.#timeline.nowMs * this.rate;
  }

  /** How far ahead the wall clock was set at most, drift left out, in milliseconds. */
  get latestOffsetMs(): number {
    return this.#latestOffsetMs;
  }

  /** Somebody sets the wall clock forward or back. */
  set(byMs: number): void {
    if (byMs === 0) return;
    this.#offsetMs += byMs;
    this.#latestOffsetMs = Math.max(this.#latestOffsetMs, this.#offsetMs);
    this.#settings.push({ atMs: this.#timeline.nowMs, byMs });
  }

  /** To the offset that is given, in milliseconds. */
  setTo(offsetMs: number): void {
    this.set(offsetMs - this.#offsetMs);
  }

  /** How often and by how much the wall clock was set since then, virtual milliseconds. */
  settingsSince(atMs: number): readonly number[] {
    return this.#settings.filter((setting) => setting.atMs >= atMs).map(({ byMs }) => byMs);
  }
}
