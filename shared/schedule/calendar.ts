/** Days of the calendar, counted from January 1, 1970, as if the wall clock were UTC. */
import type { CalendarDay } from './cron-expression.ts';

export const minuteMs = 60_000;
export const dayMs = 86_400_000;
export const minutesOfDay = 1_440;

export function calendarDay(day: number): CalendarDay {
  const date = new Date(day * dayMs);
  return { month: date.getUTCMonth() + 1, date: date.getUTCDate(), weekday: date.getUTCDay() };
}

export function yearOf(ms: number): number {
  return new Date(ms).getUTCFullYear();
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** All possible days: each date on each day of the week. */
export const everyDay: readonly CalendarDay[] = longestMonths.flatMap((dates, month) =>
  Array.from({ length: dates * 7 }, (_, index) => ({
    month: month + 1,
    date: Math.floor(index / 7) + 1,
    weekday: index % 7,
  })),
);
