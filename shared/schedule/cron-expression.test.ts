import { describe, expect, it } from 'vitest';
import { everyDay } from './calendar.ts';
import { readCron } from './cron-expression.ts';

function read(text: string) {
  const reading = readCron(text);
  if (reading.kind === 'fault') throw new Error(reading.message);
  const { expression } = reading;
  return { minutes: expression.minutes, days: everyDay.filter((day) => expression.namesDay(day)) };
}

function faultOf(text: string): string {
  const reading = readCron(text);
  return reading.kind === 'fault' ? reading.message : 'none';
}

describe('what a cron expression names', () => {
  it('is minutes of the day, in order', () => {
    expect(read('5,0 1-2 * * *').minutes).toEqual([60, 65, 120, 125]);
    expect(read('*/30 23 * * *').minutes).toEqual([1380, 1410]);
  });

  it('takes a single value with a step for all from it on, as a CronJob does', () => {
    expect(read('40/10 0 * * *').minutes).toEqual([40, 50]);
  });

  it('is either of dates and days of the week where both are narrowed down, and both otherwise', () => {
    expect(read('0 0 13 * 5').days).toHaveLength(12 * 7 + 366 - 12);
    expect(read('0 0 13 * *').days).toHaveLength(12 * 7);
    expect(read('0 0 * * 5').days).toHaveLength(366);
    // A star with a step counts as a restriction (robfig/cron, parser.go, getRange).
    expect(read('0 0 */2 * 5').days.length).toBeGreaterThan(366);
  });

  it.each([
    ['0 20 ? * *', '0 20 * * *'],
    ['0/30 * * * *', '*/30 * * * *'],
    [' 0  20 * * *\t', '0 20 * * *'],
    ['0 20 * jan-mar mon', '0 20 * 1-3 1'],
    ['0 20 * * 5-7', '0 20 * * 0,5,6'],
    ['@daily', '0 0 * * *'],
    ['@Midnight', '0 0 * * *'],
    ['@weekly', '0 0 * * 0'],
    ['@monthly', '0 0 1 * *'],
    ['@annually', '0 0 1 1 *'],
    ['@hourly', '0 * * * *'],
  ])('is by %j the same as by %j', (written, plain) => {
    expect(read(written)).toEqual(read(plain));
  });

  it.each([
    ['61 * * * *', 'the minute 61 is not from 0 to 59'],
    ['0 0 1 1-13 *', 'the month 13 is not from 1 to 12'],
    ['0 20 0 * *', 'the day of month 0 is not from 1 to 31'],
    ['0 20 * * 8', 'the day of week 8 is not from 0 to 7'],
    ['0 20 * *', 'it has 4 fields, and a window has five (minute, hour, day of month'],
    ['0 0 20 * * *', 'it has 6 fields'],
    ['0 0 20 * * *', 'leave out the seconds'],
    ['', 'it has 0 fields'],
    ['20:00', 'it has 1 field, and'],
    ['0 6-2 * * *', '"6-2" in the hour goes backwards; write 6-23,0-2'],
    ['0 20 L * *', '"L" in the day of month is not understood; write *, 1, 1-5, */2'],
    ['0 20 * FOO *', '"FOO" in the month is not understood; write *, 1, 1-5, */2 or JAN,FEB'],
    ['0 20 * * 1#2', '"1#2" in the day of week is not understood'],
    ['*/0 * * * *', 'the step of "*/0" in the minute is no number from 1 on'],
    ['1/2/3 * * * *', 'has more than one step'],
    ['1-2-3 * * * *', 'is no range'],
    ['1,,2 * * * *', '"" in the minute is not understood'],
    ['@reboot', '@reboot is not known; write one of @yearly'],
    ['@every 1h', 'write times of the clock'],
    ['TZ=UTC 0 20 * * *', 'stands in schedule.timeZone'],
  ])('is nothing by %j, and the fault says why', (text, words) => {
    expect(faultOf(text)).toContain(words);
    expect(faultOf(text)).toContain(`${JSON.stringify(text)} is no cron expression: `);
  });
});
