/**
 * The wall as a schedule sees it: it never goes back. While an hour comes for the second time the wall stands
 * still at its end, for everything in it has had its moment; what is left out is a gap, and has its moment at
 * the end of the gap.
 */
import { dayMs } from './calendar.ts';
import { clockChanges } from './clock-changes.ts';
import { wallClockOf } from './time-zone.ts';

/** Wall times from `fromMs` to before `toMs` do not exist. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The latest wall time that has had its moment at an instant. */
export function passedWallAt(timeZone: string, instantMs: number): number {
  const wallMs = wallClockOf(timeZone).wallAt(instantMs);
  const recent = clockChanges(timeZone, instantMs - dayMs, instantMs);
  return Math.max(wallMs, ...recent.map(({ fromWallMs }) => fromWallMs - 1));
}

/** The gaps that a span of the wall has a part of, or the end, in order. */
export function gapsBetween(timeZone: string, fromMs: number, toMs: number): readonly Gap[] {
  // No zone is further from UTC than fifteen hours.
  return clockChanges(timeZone, fromMs - dayMs, toMs + dayMs)
    .map(({ fromWallMs, toWallMs }) => ({ fromMs: fromWallMs, toMs: toWallMs }))
    .filter((gap) => gap.fromMs < gap.toMs && gap.fromMs < toMs && fromMs <= gap.toMs);
}
