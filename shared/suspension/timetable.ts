/**
 * What a schedule says for a while, made when the policy is seen and read at each review: nothing is computed while
 * somebody waits for an answer. Beyond its end it says nothing.
 */
import type { Schedule, ScheduleState } from '#shared/schedule/schedule.ts';
import { timesOf } from '#shared/schedule/schedule-times.ts';

/** Spans that touch, in order; the last one may have no end. */
export type Timetable = readonly ScheduleState[];

const alwaysOpen: Timetable = [{ opening: 'Open', because: [] }];
/** suspend-schedule writes the status at each transition, and so it is made anew at each. */
const mostTransitions = 16;
/** So far ahead transitions are looked for, once the first one is known. */
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

/** Undefined: it does not say. */
export function openingBy(timetable: Timetable, atMs: number): ScheduleState | undefined {
  return timetable.find(
    ({ sinceMs = -Infinity, untilMs = Infinity }) => sinceMs <= atMs && atMs < untilMs,
  );
}
