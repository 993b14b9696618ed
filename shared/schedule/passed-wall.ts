/**
 * Wall time for schedules, which never goes back. While an hour repeats, the wall time stays at its end,
 * because everything in that hour has already happened. A skipped hour is a gap, and its moments happen at
 * its end.
 */
import { dayMs } from './calendar.ts';
import { clockChanges } from './clock-changes.ts';
import { wallClockOf } from './time-zone.ts';

/** Wall times from `fromMs` to before `toMs` do not exist. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The latest wall time that has passed at an instant. */
export function passedWallAt(timeZone: string, instantMs: number): number {
  const wallMs = wallClockOf(timeZone).wallAt(instantMs);
  const recent = clockChanges(timeZone, instantMs - dayMs, instantMs);
  return Math.max(wallMs, ...recent.map(({ fromWallMs }) => fromWallMs - 1));
}

/** The gaps that overlap a span of wall time or end in it, in order. */
export function gapsBetween(timeZone: string, fromMs: number, toMs: number): readonly Gap[] {
  // No zone differs from UTC by more than fifteen hours.
  return clockChanges(timeZone, fromMs - dayMs, toMs + dayMs)
    .map(({ fromWallMs, toWallMs }) => ({ fromMs: fromWallMs, toMs: toWallMs }))
    .filter((gap) => gap.fromMs < gap.toMs && gap.fromMs < toMs && fromMs <= gap.toMs);
}
