/**
 * The states of a schedule for a while. It is computed when the policy is seen and read at each review, so that no
 * user waits for a computation. It ends at some time.
 */
import type { Schedule, ScheduleState } from '#shared/schedule/schedule.ts';
import { timesOf } from '#shared/schedule/schedule-times.ts';

/** Adjacent spans in order; the last one may be open-ended. */
export type Timetable = readonly ScheduleState[];

const alwaysOpen: Timetable = [{ opening: 'Open', because: [] }];
/** suspend-schedule writes the status at each transition, which leads to a new timetable. */
const mostTransitions = 16;
/** Transitions are looked for within this time after the first one. */
const aheadMs = 366 * 86_400_000;

/** Throws for a schedule with faults. */
export function timetableOf(schedule: Schedule | undefined, fromMs: number): Timetable {
  if (schedule === undefined) return alwaysOpen;
  const times = timesOf(schedule);
  const first = times.stateAt(fromMs);
  const { untilMs } = first;
  if (untilMs === undefined) return [first];
  const changes = times.transitions(fromMs, untilMs + aheadMs).take(mostTransitions + 1);
  const spans: ScheduleState[] = [first];
  let last: { readonly atMs: number; readonly state: ScheduleState } | undefined;
  for (const { atMs, to, because } of changes) {
    if (last !== undefined) spans.push({ ...last.state, untilMs: atMs });
    last = { atMs, state: { opening: to, sinceMs: atMs, because } };
  }
  return spans;
}

/** Undefined: the timetable does not reach that time. */
export function openingBy(timetable: Timetable, atMs: number): ScheduleState | undefined {
  return timetable.find(
    ({ sinceMs = -Infinity, untilMs = Infinity }) => sinceMs <= atMs && atMs < untilMs,
  );
}
