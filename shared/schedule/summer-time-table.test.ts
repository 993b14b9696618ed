/**
 * Compares seven years of transitions with an independent calculation. It walks through the instants,
 * reads the wall clock at each one, and fires a window when the clock passes a wall time for the first
 * time.
 */
import { describe, expect, it } from 'vitest';
import type { Schedule } from './schedule.ts';
import { timesOf } from './schedule-times.ts';

const quarter = 900_000;
const years = [2024, 2025, 2026, 2027, 2028, 2029, 2030];

interface Wall {
  readonly weekday: number;
  readonly minutes: number;
}

interface Case {
  readonly name: string;
  readonly open: string;
  readonly close: string;
  readonly opens: (wall: Wall) => boolean;
  readonly closes: (wall: Wall) => boolean;
}

const at = (hour: number, minute: number) => (wall: Wall) => wall.minutes === hour * 60 + minute;

const cases: readonly Case[] = [
  {
    name: 'nights of working days',
    open: '0 20 * * 1-5',
    close: '0 6 * * 2-6',
    opens: (wall) => at(20, 0)(wall) && wall.weekday >= 1 && wall.weekday <= 5,
    closes: (wall) => at(6, 0)(wall) && wall.weekday >= 2,
  },
  {
    name: 'from within the hour that summer time takes',
    open: '30 2 * * *',
    close: '0 6 * * *',
    opens: at(2, 30),
    closes: at(6, 0),
  },
  {
    name: 'into the hour that winter time gives back',
    open: '15 1 * * *',
    close: '45 1 * * *',
    opens: at(1, 15),
    closes: at(1, 45),
  },
  {
    name: 'every hour of a Sunday morning for a quarter of it',
    open: '15 0-5 * * 0',
    close: '30 0-5 * * 0',
    opens: ({ weekday, minutes }) => weekday === 0 && minutes < 360 && minutes % 60 === 15,
    closes: ({ weekday, minutes }) => weekday === 0 && minutes < 360 && minutes % 60 === 30,
  },
];

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
];

/** Wall times at each quarter of an hour of the year, in quarters of an hour since the epoch. */
function wallQuarters(timeZone: string, year: number): readonly number[] {
  const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return Array.from({ length: (to - from) / quarter + 1 }, (_, index) => {
    const shown = format.format(from + index * quarter);
    return Date.parse(`${shown.replace(' ', 'T')}Z`) / quarter;
  });
}

function wallOf(wallQuarter: number): Wall {
  const date = new Date(wallQuarter * quarter);
  return { weekday: date.getUTCDay(), minutes: date.getUTCHours() * 60 + date.getUTCMinutes() };
}

/** Instants at which the window changes, from its first opening. */
function walked(
  walls: readonly number[],
  from: number,
  { opens, closes }: Case,
): readonly string[] {
  const changes: string[] = [];
  let passed = walls[0] ?? 0;
  let open = false;
  walls.forEach((wall, index) => {
    const reached = Array.from({ length: Math.max(0, wall - passed) }, (_, n) => passed + 1 + n);
    passed = Math.max(passed, wall);
    const next = reached.some((one) => closes(wallOf(one)))
      ? false
      : open || reached.some((one) => opens(wallOf(one)));
    if (next !== open) {
      const instant = new Date(from + index * quarter).toISOString();
      changes.push(`${instant} ${next ? 'Open' : 'Closed'}`);
    }
    open = next;
  });
  return changes;
}

describe.each(zones)('%s', (timeZone) => {
  describe.each(years)('in %d', (year) => {
    const from = Date.UTC(year, 0, 1);
    const walls = wallQuarters(timeZone, year);

    it.each(cases)('$name', (each) => {
      const expected = walked(walls, from, each);
      const schedule: Schedule = { timeZone, windows: [each] };
      const transitions = timesOf(schedule).transitions(from, Date.UTC(year + 1, 0, 1));
      const found = [...transitions].map(
        ({ atMs, to: opening }) => `${new Date(atMs).toISOString()} ${opening}`,
      );
      // The walk does not know whether the window was open at its beginning.
      const first = found.indexOf(expected[0] ?? 'none');
      expect(expected.length).toBeGreaterThan(500);
      expect([0, 1]).toContain(first);
      expect(found.slice(first)).toEqual(expected);
    });
  });
});
