import { describe, expect, it } from 'vitest';
import { readCron, type CronTimes } from './cron-times.ts';

const utc = (text: string) => Date.parse(text);

function timesOf(expression: string): CronTimes {
  const reading = readCron(expression);
  if (reading.kind === 'fault') throw new Error(reading.message);
  return reading.times;
}

describe('the times of a cron expression', () => {
  it('leaves out the moment itself when it looks ahead, and takes it when it looks back', () => {
    const nights = timesOf('0 20 * * 1-5');
    const monday = utc('2026-03-02T20:00:00Z');
    expect(nights.after(monday)).toBe(utc('2026-03-03T20:00:00Z'));
    expect(nights.lastUntil(monday)).toBe(monday);
    expect(nights.lastUntil(monday - 1)).toBe(utc('2026-02-27T20:00:00Z'));
  });

  it('answers alike in whatever order it is asked', () => {
    const expression = '*/20 3-4 1,15 * 1';
    const moments = [9, 1, 400, 14, 15, 16, 2, 3_000, 200].map(
      (days) => utc('2026-01-01T00:00:00Z') + days * 86_400_000 + 12_345,
    );
    const shared = timesOf(expression);
    for (const moment of [...moments, ...moments.toReversed()]) {
      const alone = timesOf(expression);
      expect(shared.after(moment)).toBe(alone.after(moment));
      expect(shared.lastUntil(moment)).toBe(alone.lastUntil(moment));
    }
  });

  it('says that no day is named', () => {
    const never = timesOf('0 0 31 2 *');
    expect(never.after(0)).toBeUndefined();
    expect(never.lastUntil(0)).toBeUndefined();
  });

  it.each([
    ['61 * * * *', 'Invalid value for minute: 61'],
    ['0 20 * *', 'five fields'],
    ['0 0 20 * * 1-5', 'five fields'],
    ['@daily', 'five fields'],
    ['0 6-2 * * *', 'larger'],
    ['', 'five fields'],
  ])('says what is wrong with %j', (expression, words) => {
    const reading = readCron(expression);
    expect(reading.kind === 'fault' && reading.message).toContain(words);
  });
});
