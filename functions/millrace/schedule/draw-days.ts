/** Draws a schedule by wall time: a line per day and two characters per hour. */
import type { Schedule } from '#shared/schedule/schedule.ts';
import { timesOf } from '#shared/schedule/schedule-times.ts';
import { wallClockOf } from '#shared/schedule/time-zone.ts';
import { type Span, weekdayOf } from './preview.ts';

const slotMs = 1_800_000;
const slots = 48;
const dayMs = slots * slotMs;

/** Every day of the span, each from midnight to midnight. Throws if the schedule has faults. */
export function drawDays(schedule: Schedule, { fromMs, toMs }: Span): readonly string[] {
  const clock = wallClockOf(schedule.timeZone);
  const firstDay = Math.floor(clock.wallAt(fromMs) / dayMs) * dayMs;
  const days = Math.ceil((clock.wallAt(toMs) - firstDay) / dayMs);
  const hours = Array.from({ length: 12 }, (_, index) => String(2 * index).padEnd(4));
  return [
    `${' '.repeat(15)}${hours.join('').trimEnd()}`,
    ...Array.from({ length: days }, (_, day) => dayLine(schedule, firstDay + day * dayMs)),
    '# open   + open for a part of the half hour   . held   blank: the clocks leave it out',
  ];
}

function dayLine(schedule: Schedule, dayWallMs: number): string {
  const date = new Date(dayWallMs).toISOString().slice(0, 10);
  const marks = Array.from({ length: slots }, (_, slot) =>
    markOf(schedule, dayWallMs + slot * slotMs),
  );
  return `${weekdayOf(dayWallMs)} ${date} ${marks.join('')}`.trimEnd();
}

function markOf(schedule: Schedule, wallMs: number): string {
  const clock = wallClockOf(schedule.timeZone);
  const fromMs = clock.instantOf(wallMs);
  const toMs = clock.instantOf(wallMs + slotMs);
  if (toMs === fromMs) return ' ';
  const times = timesOf(schedule);
  const [change] = times.transitions(fromMs, toMs - 1);
  if (change !== undefined) return '+';
  return times.stateAt(fromMs).opening === 'Open' ? '#' : '.';
}
