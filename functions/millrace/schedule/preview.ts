/** The transitions of a schedule in a span of time, as data. Pure. */
import { rfc3339 } from '#shared/domain/time.ts';
import { clockChanges } from '#shared/schedule/clock-changes.ts';
import type { Opening, Schedule } from '#shared/schedule/schedule.ts';
import { timesOf } from '#shared/schedule/schedule-times.ts';
import { wallClockOf } from '#shared/schedule/time-zone.ts';

export interface PreviewLine {
  readonly utc: string;
  /** With the offset of the time zone. */
  readonly local: string;
  readonly weekday: string;
  readonly state: Opening;
  /** Names of the windows and exceptions that cause the state. */
  readonly because: readonly string[];
  /** The clocks change on this day. */
  readonly isClockChangeDay: boolean;
}

export interface PreviewClockChange {
  readonly utc: string;
  readonly weekday: string;
  readonly localBefore: string;
  readonly localAfter: string;
}

export interface Preview {
  readonly policy: string;
  readonly timeZone: string;
  /** The state at the beginning, then each change. */
  readonly lines: readonly PreviewLine[];
  readonly clockChanges: readonly PreviewClockChange[];
}

/** What is previewed. */
export interface Span {
  readonly fromMs: number;
  /** Exclusive in the picture of the days. */
  readonly toMs: number;
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** Throws if the schedule has faults. */
export function previewOf(policy: string, schedule: Schedule, { fromMs, toMs }: Span): Preview {
  const { timeZone } = schedule;
  const clock = wallClockOf(timeZone);
  const times = timesOf(schedule);
  const first = times.stateAt(fromMs);
  const changes = clockChanges(timeZone, fromMs, toMs);
  const days = new Set(changes.map(({ toWallMs }) => dayOf(toWallMs)));
  const moments = [
    { atMs: fromMs, to: first.opening, because: first.because },
    ...times.transitions(fromMs, toMs),
  ];
  return {
    policy,
    timeZone,
    lines: moments.map(({ atMs, to, because }) => {
      const wallMs = clock.wallAt(atMs);
      return {
        utc: rfc3339(atMs),
        local: zoned(wallMs, wallMs - atMs),
        weekday: weekdayOf(wallMs),
        state: to,
        because,
        isClockChangeDay: days.has(dayOf(wallMs)),
      };
    }),
    clockChanges: changes.map(({ atMs, fromWallMs, toWallMs }) => ({
      utc: rfc3339(atMs),
      weekday: weekdayOf(toWallMs),
      localBefore: zoned(fromWallMs, fromWallMs - atMs),
      localAfter: zoned(toWallMs, toWallMs - atMs),
    })),
  };
}

export function weekdayOf(wallMs: number): string {
  return weekdays[new Date(wallMs).getUTCDay()] ?? '';
}

function dayOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}

/** RFC 3339 with the offset of the time zone. */
function zoned(wallMs: number, offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const offset = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${new Date(wallMs).toISOString().slice(0, 19)}${offsetMs < 0 ? '-' : '+'}${offset}`;
}
