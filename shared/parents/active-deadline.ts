/** The arithmetic of `spec.activeDeadlineSeconds` of JobFlow and DaemonJob. */
import type { Condition } from '#shared/domain/conditions.ts';
import { parseTime } from '#shared/domain/time.ts';

/** Message for parts that failed by the deadline. */
export const deadlinePassed = 'its deadline passed (spec.activeDeadlineSeconds)';

interface Timed {
  readonly reason?: string;
  readonly startTime?: string | undefined;
  readonly completionTime?: string;
  readonly conditions?: readonly Condition[];
}

/**
 * Its deadline is recorded as passed (`overdue` is the reason), and it has not ended. Neither a suspension nor a longer
 * deadline reverts that.
 */
export function isEndingLate({ reason, completionTime }: Timed, overdue: string): boolean {
  return reason === overdue && completionTime === undefined;
}

/** When one of these conditions turns False, the time starts again: after a resumption, or a retry of a failure. */
const interruptions: readonly string[] = ['Suspended', 'Failed'];

/**
 * When the deadline passes, in milliseconds since the epoch. Undefined: never, or not started. It counts from the
 * latest of the start, the last resumption and the retry that reverted a failure. All of these are recorded, so no
 * timer can be lost. If the status still says suspended or failed, it counts from now.
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
