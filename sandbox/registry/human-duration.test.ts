import { expect, test } from 'vitest';
import { age, humanDuration } from './human-duration.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [0, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [5 * minute + 3 * second, '5m3s'],
  [10 * minute + 3 * second, '10m'],
  [3 * hour + 12 * minute, '3h12m'],
  [8 * hour, '8h'],
  [47 * hour, '47h'],
  [2 * day, '2d'],
  [2 * day + 5 * hour, '2d5h'],
  [9 * day, '9d'],
  [800 * day, '2y70d'],
  [-2 * second, '<invalid>'],
])('%d ms is %s', (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

test('an absent time has no age', () => {
  expect(age(undefined, 0)).toBe('<unknown>');
});
