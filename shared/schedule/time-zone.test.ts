import { describe, expect, it } from 'vitest';
import { timeZoneFault, wallClockOf } from './time-zone.ts';

const berlin = wallClockOf('Europe/Berlin');
const utc = (text: string) => Date.parse(text);

describe('names of time zones (scenario 56)', () => {
  it.each([
    'Europe/Berlin',
    'UTC',
    'Etc/GMT+5',
    'America/Argentina/Buenos_Aires',
    'Asia/Kathmandu',
    'GMT',
    'EST',
    'EST5EDT',
    'CET',
    'Japan',
    'W-SU',
    'US/Eastern',
  ])('takes %s', (name) => expect(timeZoneFault(name)).toBeUndefined());

  it.each([
    ['Mars/Base', 'no time zone of the tz database; write one such as Europe/Berlin'],
    ['Local', 'Local and most abbreviations mean'],
    ['local', 'Local and most abbreviations mean'],
    ['PST', 'abbreviations'],
    ['IST', 'abbreviations'],
    ['+01:00', 'an offset'],
    ['Europe/Berlin ', 'write one such as'],
    ['europe/berlin', 'is spelled Europe/Berlin'],
    ['', 'a time zone is needed'],
  ])('refuses %j', (name, words) => expect(timeZoneFault(name)).toContain(words));
});

describe('a wall clock', () => {
  it('shows the time of its zone', () => {
    expect(berlin.wallAt(utc('2026-01-15T12:00:00Z'))).toBe(utc('2026-01-15T13:00:00Z'));
    expect(berlin.wallAt(utc('2026-07-15T12:00:00Z'))).toBe(utc('2026-07-15T14:00:00Z'));
  });

  it('takes a wall time that is left out for the first instant after the gap', () => {
    for (const wall of ['02:00', '02:30', '02:59']) {
      expect(berlin.instantOf(utc(`2026-03-29T${wall}:00Z`))).toBe(utc('2026-03-29T01:00:00Z'));
    }
  });

  it('takes a wall time that comes twice for its first instant', () => {
    expect(berlin.instantOf(utc('2026-10-25T02:30:00Z'))).toBe(utc('2026-10-25T00:30:00Z'));
    expect(berlin.instantOf(utc('2026-10-25T03:00:00Z'))).toBe(utc('2026-10-25T02:00:00Z'));
  });

  it('finds the end of a gap of half an hour', () => {
    const lordHowe = wallClockOf('Australia/Lord_Howe');
    expect(lordHowe.instantOf(utc('2026-10-04T02:15:00Z'))).toBe(utc('2026-10-03T15:30:00Z'));
  });

  it('takes a day that a zone left out for the beginning of the next one', () => {
    const apia = wallClockOf('Pacific/Apia');
    expect(apia.instantOf(utc('2011-12-30T12:00:00Z'))).toBe(utc('2011-12-30T10:00:00Z'));
  });
});
