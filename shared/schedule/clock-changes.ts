import { wallClockOf, type WallClock } from './time-zone.ts';

/** The clocks of a zone are set. */
export interface ClockChange {
  readonly atMs: number;
  /** What a clock on the wall shows just before, and what it shows then; as if it were UTC. */
  readonly fromWallMs: number;
  readonly toWallMs: number;
}

const stepMs = 86_400_000;

/** Changes after `fromMs` and until `toMs`, in order. Two within a day are not told apart. */
export function clockChanges(
  timeZone: string,
  fromMs: number,
  toMs: number,
): readonly ClockChange[] {
  const clock = wallClockOf(timeZone);
  const changes: ClockChange[] = [];
  for (let low = fromMs; low < toMs; low += stepMs) {
    const high = Math.min(low + stepMs, toMs);
    if (offsetAt(clock, low) === offsetAt(clock, high)) continue;
    const atMs = firstAfter(clock, low, high);
    const fromWallMs = atMs + offsetAt(clock, low);
    changes.push({ atMs, fromWallMs, toWallMs: clock.wallAt(atMs) });
  }
  return changes;
}

function firstAfter(clock: WallClock, low: number, high: number): number {
  const offset = offsetAt(clock, high);
  let [before, after] = [low, high];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(clock, middle) === offset) after = middle;
    else before = middle;
  }
  return after;
}

function offsetAt(clock: WallClock, instantMs: number): number {
  return clock.wallAt(instantMs) - instantMs;
}
