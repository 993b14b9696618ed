/** How often a status tells that things simply go on: each write carries all of it. */
import { parseTime } from './time.ts';

/** Ordinary progress is recorded this often, milliseconds; */
const progressMs = 1_000;
/** while many are decided about at once, this often; */
const busyProgressMs = 5_000;
/** or, of what has many parts, at this many milliseconds for each. */
const progressMsPerPart = 2;

export interface Pace {
  /** When the status was written last. */
  readonly lastUpdateTime: string | undefined;
  /** A child that vanishes would be noticed before the status records it. */
  readonly noticesRemovals: boolean;
  /** Steps or nodes. */
  readonly parts: number;
  readonly isUnderLoad: boolean;
}

/**
 * When progress is to be recorded, milliseconds since the epoch: at once where a Job could vanish without a
 * trace, and where the last time lies ahead.
 */
export function progressDueAt(
  { lastUpdateTime, noticesRemovals, parts, isUnderLoad }: Pace,
  nowMs: number,
): number | 'now' {
  const lastMs = parseTime(lastUpdateTime);
  if (!noticesRemovals || lastMs === undefined || lastMs > nowMs) return 'now';
  const leastMs = isUnderLoad ? busyProgressMs : progressMs;
  return lastMs + Math.max(leastMs, parts * progressMsPerPart);
}
