/** The arithmetic of `spec.activeDeadlineSeconds` of a JobFlow and of a DaemonJob. */
import type { Condition } from '#shared/domain/conditions.ts';
import { parseTime } from '#shared/domain/time.ts';

/** Said of what has failed for it. */
export const deadlinePassed = 'its deadline passed (spec.activeDeadlineSeconds)';

interface Timed {
  readonly reason?: string;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly Condition[];
}

/** It is on record as out of time (`overdue` is the reason), and has not ended. Nothing takes that back: no suspension, no longer deadline. */
export function isEndingLate({ reason, completionTime }: Timed, overdue: string): boolean {
  return reason === overdue && completionTime === undefined;
}

/** Their last turn to False is a new beginning: it was resumed, or a retry took its failure back. */
const interruptions: readonly string[] = ['Suspended', 'Failed'];

/**
 * When the time of something that may run is up, in milliseconds since the epoch. Undefined: never, or it has not
 * started. Time counts from the start, the last resumption or the retry that took a failure back, whichever was last:
 * all of them are on record, so no timer can be lost. What the status still calls suspended or failed begins anew now.
 */
export function activeDeadlineMs(
  seconds: number | undefined,
  { startTime, conditions = [] }: Timed,
  nowMs: number,
): number | undefined {
  const startedMs = parseTime(startTime);
  if (seconds === undefined || startedMs === undefined) return undefined;
  const turnsMs = conditions
    .filter(({ type }) => interruptions.includes(type))
    .map(({ status, lastTransitionTime }) =>
      status === 'False' ? (parseTime(lastTransitionTime) ?? startedMs) : nowMs,
    );
  return Math.max(startedMs, ...turnsMs) + seconds * 1_000;
}
