import { describe, expect, it } from 'vitest';
import type { Schedule } from './schedule.ts';
import { timesOf } from './schedule-times.ts';

const utc = (text: string) => Date.parse(text);
const iso = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString().replace('.000Z', 'Z');

const nights: Schedule = {
  timeZone: 'Europe/Berlin',
  windows: [{ name: 'night', open: '0 20 * * 1-5', close: '0 6 * * 2-6' }],
};

function changes(schedule: Schedule, from: string, to: string): readonly string[] {
  return [...timesOf(schedule).transitions(utc(from), utc(to))].map(
    ({ atMs, to: opening }) => `${iso(atMs) ?? ''} ${opening}`,
  );
}

function stateAt(schedule: Schedule, moment: string) {
  const { opening, sinceMs, untilMs, because } = timesOf(schedule).stateAt(utc(moment));
  return { opening, since: iso(sinceMs), until: iso(untilMs), because };
}

it('a schedule is prepared once, however often it is parsed', () => {
  expect(timesOf(structuredClone(nights))).toBe(timesOf(nights));
});

describe('a schedule at a moment', () => {
  it('is open from its opening instant to before its closing instant', () => {
    const night = {
      opening: 'Open',
      since: '2026-03-02T19:00:00Z',
      until: '2026-03-03T05:00:00Z',
      because: ['night'],
    };
    expect(stateAt(nights, '2026-03-02T19:00:00Z')).toEqual(night);
    expect(stateAt(nights, '2026-03-03T04:59:59Z')).toEqual(night);
    expect(stateAt(nights, '2026-03-03T05:00:00Z')).toEqual({
      opening: 'Closed',
      since: '2026-03-03T05:00:00Z',
      until: '2026-03-03T19:00:00Z',
      because: [],
    });
  });

  it('is the other way round with SuspendInside', () => {
    const days: Schedule = { ...nights, mode: 'SuspendInside' };
    expect(stateAt(days, '2026-03-02T19:00:00Z').opening).toBe('Closed');
    expect(stateAt(days, '2026-03-02T18:59:59Z').opening).toBe('Open');
  });

  it('takes the union of its windows', () => {
    const union: Schedule = {
      timeZone: 'UTC',
      windows: [
        { name: 'evening', open: '0 18 * * *', close: '0 23 * * *' },
        { name: 'late', open: '0 22 * * *', close: '0 2 * * *' },
      ],
    };
    expect(changes(union, '2026-03-02T00:00:00Z', '2026-03-03T12:00:00Z')).toEqual([
      '2026-03-02T02:00:00Z Closed',
      '2026-03-02T18:00:00Z Open',
      '2026-03-03T02:00:00Z Closed',
    ]);
    expect(stateAt(union, '2026-03-02T22:30:00Z').because).toEqual(['evening', 'late']);
    expect(stateAt(union, '2026-03-03T01:00:00Z')).toMatchObject({
      since: '2026-03-02T18:00:00Z',
      because: ['late'],
    });
  });

  it('is closed where a window opens and closes at once', () => {
    const touching: Schedule = {
      timeZone: 'UTC',
      windows: [{ name: 'w', open: '0 */6 * * *', close: '0 12 * * *' }],
    };
    expect(stateAt(touching, '2026-03-02T12:00:00Z').opening).toBe('Closed');
    expect(stateAt(touching, '2026-03-02T18:00:00Z').opening).toBe('Open');
  });

  it('lasts for ever when nothing changes it', () => {
    const always: Schedule = {
      timeZone: 'UTC',
      windows: [
        { name: 'am', open: '0 0 * * *', close: '0 13 * * *' },
        { name: 'pm', open: '0 12 * * *', close: '0 1 * * *' },
      ],
    };
    const state = stateAt(always, '2026-03-02T12:30:00Z');
    expect(state).toEqual({ opening: 'Open', because: ['am', 'pm'] });
  });

  it('answers alike in whatever order it is asked', () => {
    const moments = [9, 1, 400, 14, 15, 16, 2, 200].map(
      (hours) => utc('2026-03-28T00:00:00Z') + hours * 3_600_000,
    );
    for (const [n, moment] of [...moments, ...moments.toReversed()].entries()) {
      const [window] = nights.windows ?? [];
      // Each has a different name, so that no cached result is used.
      const windows = window === undefined ? [] : [{ ...window, name: `night-${n}` }];
      const alone = timesOf({ ...nights, windows }).stateAt(moment);
      expect({ ...timesOf(nights).stateAt(moment), because: [] }).toEqual({
        ...alone,
        because: [],
      });
    }
  });
});

/** A window that is always open, and fifteen that change every minute: the schema's maximum. */
const restless: Schedule = {
  timeZone: 'Europe/Berlin',
  windows: [
    { name: 'am', open: '0 0 * * *', close: '0 13 * * *' },
    { name: 'pm', open: '0 12 * * *', close: '0 1 * * *' },
    ...Array.from({ length: 14 }, (_, index) => ({
      name: `minutes-${index}`,
      open: `${index % 2}-59/2 * * * *`,
      close: `${(index + 1) % 2}-59/2 * * * *`,
    })),
  ],
};

describe('what a search does not find is not there', () => {
  it('where windows change every minute within one that is always open', () => {
    const { opening, sinceMs, untilMs } = timesOf(restless).stateAt(utc('2026-03-02T12:30:00Z'));
    expect({ opening, sinceMs, untilMs }).toEqual({ opening: 'Open' });
  });

  it('where windows open and close within a holiday, however long that has been', () => {
    const within: Schedule = {
      timeZone: 'UTC',
      mode: 'SuspendInside',
      windows: [
        { name: 'holiday', open: '0 0 1 7 *', close: '0 0 1 10 *' },
        { name: 'quarters', open: '0,30 * * 7-9 *', close: '15,45 * * 7-9 *' },
      ],
    };
    const span = {
      opening: 'Closed',
      since: '2026-07-01T00:00:00Z',
      until: '2026-10-01T00:00:00Z',
    };
    for (const day of ['2026-07-01', '2026-07-03', '2026-08-15', '2026-09-30']) {
      expect(stateAt(within, `${day}T12:20:00Z`)).toMatchObject(span);
    }
  });

  it('behind exceptions that change nothing, up to the last', () => {
    const month = Date.UTC(2026, 0, 1);
    const exceptions = Array.from({ length: 128 }, (_, index) => ({
      from: new Date(month + index * 3_600_000).toISOString(),
      to: new Date(month + index * 3_600_000 + 1_800_000).toISOString(),
      state: index === 127 ? ('Closed' as const) : ('Open' as const),
    }));
    const state = stateAt({ ...restless, exceptions }, '2026-01-01T00:10:00Z');
    expect(state).toMatchObject({ since: undefined, until: '2026-01-06T07:00:00Z' });
  });

  it('up to February 29', () => {
    const leap: Schedule = {
      timeZone: 'UTC',
      windows: [{ name: 'leap', open: '0 0 29 2 *', close: '0 6 29 2 *' }],
    };
    expect(stateAt(leap, '2026-03-02T00:00:00Z')).toMatchObject({
      since: '2024-02-29T06:00:00Z',
      until: '2028-02-29T00:00:00Z',
    });
    expect(stateAt(leap, '2097-01-01T00:00:00Z')).toMatchObject({ until: '2104-02-29T00:00:00Z' });
  });
});

describe('a schedule of exceptions alone', () => {
  const holidays: Schedule = {
    timeZone: 'Europe/Berlin',
    exceptions: [{ name: 'Christmas', date: '2026-12-25', state: 'Closed' }],
  };

  it('is open but for them', () => {
    expect(stateAt(holidays, '2026-12-01T00:00:00Z')).toEqual({
      opening: 'Open',
      since: undefined,
      until: '2026-12-24T23:00:00Z',
      because: [],
    });
    expect(stateAt(holidays, '2026-12-25T12:00:00Z')).toEqual({
      opening: 'Closed',
      since: '2026-12-24T23:00:00Z',
      until: '2026-12-25T23:00:00Z',
      because: ['Christmas'],
    });
  });

  it('is open but for them also with SuspendInside', () => {
    const other: Schedule = { ...holidays, mode: 'SuspendInside' };
    expect(stateAt(other, '2026-12-01T00:00:00Z').opening).toBe('Open');
  });
});

describe('summer time', () => {
  const early: Schedule = {
    timeZone: 'Europe/Berlin',
    windows: [{ name: 'early', open: '30 2 * * *', close: '0 6 * * *' }],
  };

  it('opens after the gap when the hour is left out', () => {
    expect(changes(early, '2026-03-29T00:00:00Z', '2026-03-29T12:00:00Z')).toEqual([
      '2026-03-29T01:00:00Z Open',
      '2026-03-29T04:00:00Z Closed',
    ]);
  });

  it('opens once when the hour comes twice', () => {
    expect(changes(early, '2026-10-25T00:00:00Z', '2026-10-25T12:00:00Z')).toEqual([
      '2026-10-25T00:30:00Z Open',
      '2026-10-25T05:00:00Z Closed',
    ]);
  });

  it('closes once when the hour comes twice, and stays closed', () => {
    const late: Schedule = {
      timeZone: 'Europe/Berlin',
      windows: [{ name: 'late', open: '0 20 * * *', close: '30 2 * * *' }],
    };
    expect(changes(late, '2026-10-24T23:00:00Z', '2026-10-25T12:00:00Z')).toEqual([
      '2026-10-25T00:30:00Z Closed',
    ]);
    expect(stateAt(late, '2026-10-25T01:15:00Z').opening).toBe('Closed');
  });

  it('is closed where a window closes and opens in the gap, in whatever order', () => {
    const around: Schedule = {
      timeZone: 'Europe/Berlin',
      windows: [{ name: 'around', open: '45 2 * * *', close: '15 2 * * *' }],
    };
    expect(changes(around, '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual([
      '2026-03-29T01:00:00Z Closed',
      '2026-03-30T00:45:00Z Open',
    ]);
  });

  it('opens at the end of a gap that begins the day before', () => {
    const apia: Schedule = {
      timeZone: 'Pacific/Apia',
      windows: [{ name: 'noon', open: '0 12 30 12 *', close: '0 3 31 12 *' }],
    };
    expect(changes(apia, '2011-12-29T00:00:00Z', '2012-01-02T00:00:00Z')).toEqual([
      '2011-12-30T10:00:00Z Open',
      '2011-12-30T13:00:00Z Closed',
    ]);
  });

  it('does not open a window that lies in the gap', () => {
    const gap: Schedule = {
      timeZone: 'Europe/Berlin',
      windows: [{ name: 'gap', open: '0 2 * * *', close: '45 2 * * *' }],
    };
    expect(changes(gap, '2026-03-29T00:00:00Z', '2026-03-29T12:00:00Z')).toEqual([]);
  });
});

describe('exceptions', () => {
  it('hold whatever the windows say, to before their end', () => {
    const holidays: Schedule = {
      ...nights,
      exceptions: [
        { from: '2026-12-24T00:00:00+01:00', to: '2026-12-27T00:00:00+01:00', state: 'Open' },
      ],
    };
    expect(changes(holidays, '2026-12-23T12:00:00Z', '2026-12-28T23:00:00Z')).toEqual([
      '2026-12-23T19:00:00Z Open',
      '2026-12-26T23:00:00Z Closed',
      '2026-12-28T19:00:00Z Open',
    ]);
  });

  it('take a date for the whole day in the zone, and the later one where two meet', () => {
    const day: Schedule = {
      ...nights,
      exceptions: [
        { date: '2026-10-25', state: 'Open', name: 'free' },
        { from: '2026-10-25T08:00:00Z', to: '2026-10-25T09:00:00Z', state: 'Closed' },
      ],
    };
    expect(changes(day, '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z')).toEqual([
      '2026-10-24T22:00:00Z Open',
      '2026-10-25T08:00:00Z Closed',
      '2026-10-25T09:00:00Z Open',
      '2026-10-25T23:00:00Z Closed',
    ]);
    expect(stateAt(day, '2026-10-25T12:00:00Z').because).toEqual(['free']);
  });
});
