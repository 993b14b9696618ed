import { expect, it } from 'vitest';
import { momentOf } from './moment.ts';

const nowMs = Date.UTC(2026, 2, 29, 12);

it.each([
  ['2026-03-29T02:00:00Z', Date.UTC(2026, 2, 29, 2)],
  ['2026-03-29T02:00:00+02:00', Date.UTC(2026, 2, 29)],
  ['30s', nowMs - 30_000],
  ['90m', nowMs - 5_400_000],
  ['2h', nowMs - 7_200_000],
  ['3d', Date.UTC(2026, 2, 26, 12)],
])('%s is a time', (text, ms) => {
  expect(momentOf(text, nowMs)).toBe(ms);
});

it.each([
  ['2026-03-29T02:00:00Z', Date.UTC(2026, 2, 29, 2)],
  ['8h', nowMs + 28_800_000],
])('%s is a time after now where that is asked for', (text, ms) => {
  expect(momentOf(text, nowMs, 'after')).toBe(ms);
});

it.each(['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z'])(
  '"%s" is no time, since no calendar has that day',
  (text) => {
    expect(momentOf(text, nowMs)).toBeUndefined();
  },
);

it.each(['', 'yesterday', '2026-03-29', '2026-03-29T02:00:00', '2', 'h', '-2h', '2h30m'])(
  '"%s" is no time, since it could mean several',
  (text) => {
    expect(momentOf(text, nowMs)).toBeUndefined();
  },
);
