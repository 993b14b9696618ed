import { describe, expect, it } from 'vitest';
import { scheduleFaults } from './schedule-faults.ts';
import type { Schedule, TimeWindow } from './schedule.ts';

const night = { name: 'night', open: '0 20 * * 1-5', close: '0 6 * * 2-6' };

function faults(change: Partial<Schedule>) {
  return scheduleFaults({ timeZone: 'Europe/Berlin', windows: [night], ...change });
}

function windowFault(window: Partial<TimeWindow>) {
  return faults({ windows: [night, { ...night, ...window }] });
}

describe('what is wrong with a schedule', () => {
  it('is nothing when its windows open and close', () => {
    expect(faults({})).toEqual([]);
    expect(windowFault({ open: '0 0 29 2 *', close: '0 1 29 2 *' })).toEqual([]);
    expect(windowFault({ open: '*/5 * * * *', close: '0 * * * *' })).toEqual([]);
  });

  it('is an unknown zone', () => {
    expect(faults({ timeZone: 'Mars/Base' })).toEqual([
      {
        path: 'timeZone',
        message:
          '"Mars/Base" is no time zone of the tz database; write one such as Europe/Berlin or UTC',
      },
    ]);
  });

  it('is an expression that is none', () => {
    expect(windowFault({ open: '0 25 * * *', close: 'x' }).map(({ path }) => path)).toEqual([
      'windows[1].open',
      'windows[1].close',
    ]);
  });

  it.each([
    ['0 0 31 2 *', '0 6 * * *', 'never opens: no day is named by "0 0 31 2 *"'],
    ['0 0 * * *', '0 0 30 2 *', 'never closes: no day is named by "0 0 30 2 *"'],
    ['0 20 * * *', '0 20 * * *', 'closes it in the same minute'],
    ['0 20 * * 1', '0 20 * * *', 'closes it in the same minute'],
    ['0 0 29 2 *', '0 0 * 2 *', 'closes it in the same minute'],
    ['*/2 * 29 2 *', '*/2 * 28-31 * *', 'closes it in the same minute'],
    ['* * * * *', '* * * * *', 'closes it in the same minute'],
  ])('is a window from %s to %s', (open, close, words) => {
    expect(windowFault({ open, close })).toEqual([
      { path: 'windows[1]', message: expect.stringContaining(words) as string },
    ]);
  });

  it.each([
    [{ from: '2026-12-24T00:00:00', to: '2026-12-25T00:00:00Z' }, 'with an offset'],
    [{ from: '2026-12-24T00:00:00Z' }, 'with an offset'],
    [{ from: '2026-12-24T00:00:00Z', to: '2026-12-24T01:00:00+01:00' }, 'to is not after from'],
    [{ date: '2026-02-30' }, 'is no date'],
    [{ date: '2026-02-03', from: '2026-12-24T00:00:00Z' }, 'either the date, or from and to'],
    [{}, 'either a date, or from and to'],
  ])('is an exception %j', (exception, words) => {
    expect(faults({ exceptions: [{ ...exception, state: 'Open' }] })).toEqual([
      { path: 'exceptions[0]', message: expect.stringContaining(words) as string },
    ]);
  });
});
