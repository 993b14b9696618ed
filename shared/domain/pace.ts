/** Limits how often a status records mere progress, because each write carries the whole status. */
import { parseTime } from './time.ts';

/** Ordinary progress is recorded this often. Milliseconds. */
const progressMs = 1_000;
/** The same while many decisions run at once. */
const busyProgressMs = 5_000;
/** The same for many parts, for each part. */
const progressMsPerPart = 2;

export interface Pace {
  /** When the status was last written. */
  readonly lastUpdateTime: string | undefined;
  /** A child that vanishes is noticed even before the status records it. */
  readonly noticesRemovals: boolean;
  /** Steps or nodes. */
  readonly parts: number;
  readonly isUnderLoad: boolean;
}

/**
 * When progress is to be recorded, in milliseconds since the epoch. At once, if a Job could vanish
 * unnoticed or if the last write lies in the future.
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
