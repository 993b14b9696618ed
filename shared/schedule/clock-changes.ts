import { dayMs } from './calendar.ts';
import { wallClockOf, type WallClock } from './time-zone.ts';

/** The clocks of a zone are changed. */
export interface ClockChange {
  readonly atMs: number;
  /** The wall time just before and just after, as if it were UTC. */
  readonly fromWallMs: number;
  readonly toWallMs: number;
}

/** Since 2013 no zone has changed its clocks twice within less than a week (Asia/Gaza, 2040). */
const stepMs = 4 * dayMs;
const blockMs = 64 * stepMs;

/** By zone and block: there are some hundreds of zones, and the runtime is slow to ask. */
const known = new Map<string, Map<number, readonly ClockChange[]>>();

/**
 * Changes after `fromMs` and until `toMs`, in order. Two within four days are not distinguished.
 */
export function clockChanges(
  timeZone: string,
  fromMs: number,
  toMs: number,
): readonly ClockChange[] {
  const changes: ClockChange[] = [];
  for (let block = Math.floor(fromMs / blockMs); block * blockMs < toMs; block++) {
    changes.push(...changesOf(timeZone, block));
  }
  return changes.filter(({ atMs }) => fromMs < atMs && atMs <= toMs);
}

function changesOf(timeZone: string, block: number): readonly ClockChange[] {
  let blocks = known.get(timeZone);
  if (blocks === undefined) {
    blocks = new Map();
    known.set(timeZone, blocks);
  }
  let changes = blocks.get(block);
  if (changes === undefined) {
    changes = searched(wallClockOf(timeZone), block * blockMs);
    blocks.set(block, changes);
  }
  return changes;
}

function searched(clock: WallClock, fromMs: number): readonly ClockChange[] {
  const changes: ClockChange[] = [];
  let before = offsetAt(clock, fromMs);
  for (let low = fromMs; low < fromMs + blockMs; low += stepMs) {
    const after = offsetAt(clock, low + stepMs);
    if (after !== before) {
      const atMs = firstWith(clock, after, { low, high: low + stepMs });
      changes.push({ atMs, fromWallMs: atMs + before, toWallMs: atMs + after });
    }
    before = after;
  }
  return changes;
}

function firstWith(
  clock: WallClock,
  offset: number,
  { low, high }: { readonly low: number; readonly high: number },
): number {
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
