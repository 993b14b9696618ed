/** One window on the instants of the world. */
import type { CronTimes } from './cron-times.ts';
import type { TimeWindow } from './schedule.ts';
import type { WallClock } from './time-zone.ts';

export class WindowTimes {
  readonly name: string;
  readonly #clock: WallClock;
  readonly #open: CronTimes;
  readonly #close: CronTimes;

  constructor(window: TimeWindow, clock: WallClock, open: CronTimes, close: CronTimes) {
    this.name = window.name;
    this.#clock = clock;
    this.#open = open;
    this.#close = close;
  }

  /** Level-triggered: computed from the moment alone. What closes and opens at once is closed. */
  isOpen(instantMs: number): boolean {
    const opened = this.#lastUntil(this.#open, instantMs);
    if (opened === undefined) return false;
    const closed = this.#lastUntil(this.#close, instantMs);
    return closed === undefined || opened > closed;
  }

  /** The next moment at which either expression fires. */
  nextAfter(instantMs: number): number | undefined {
    return smallest(this.#after(this.#open, instantMs), this.#after(this.#close, instantMs));
  }

  /** The last moment, not after this one, at which either expression fired. */
  lastUntil(instantMs: number): number | undefined {
    return largest(this.#lastUntil(this.#open, instantMs), this.#lastUntil(this.#close, instantMs));
  }

  /** In the hour that comes twice, wall times that are ahead have already had their instant. */
  #lastUntil(times: CronTimes, instantMs: number): number | undefined {
    let wall = times.lastUntil(this.#clock.wallAt(instantMs));
    let instant = wall === undefined ? undefined : this.#clock.instantOf(wall);
    for (;;) {
      wall = times.after(wall ?? this.#clock.wallAt(instantMs));
      const next = wall === undefined ? undefined : this.#clock.instantOf(wall);
      if (next === undefined || next > instantMs) return instant;
      instant = next;
    }
  }

  #after(times: CronTimes, instantMs: number): number | undefined {
    let wall: number | undefined = this.#clock.wallAt(instantMs);
    for (;;) {
      wall = times.after(wall);
      if (wall === undefined) return undefined;
      const instant = this.#clock.instantOf(wall);
      if (instant > instantMs) return instant;
    }
  }
}

function smallest(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || (right !== undefined && right < left) ? right : left;
}

function largest(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || (right !== undefined && right > left) ? right : left;
}
