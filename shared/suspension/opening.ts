import type { Schedule, ScheduleState } from '#shared/schedule/schedule.ts';
import { timesOf } from '#shared/schedule/schedule-times.ts';

const alwaysOpen: ScheduleState = { opening: 'Open', because: [] };

/**
 * Whether a schedule lets work run; without a schedule it always may. Throws for a schedule with
 * faults.
 */
export function openingAt(schedule: Schedule | undefined, nowMs: number): ScheduleState {
  return schedule === undefined ? alwaysOpen : timesOf(schedule).stateAt(nowMs);
}
