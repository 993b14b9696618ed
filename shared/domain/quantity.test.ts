import { expect, it } from 'vitest';
import { parseQuantity } from './quantity.ts';

it.each([
  ['200', 200],
  ['500m', 0.5],
  ['1.5', 1.5],
  ['.5', 0.5],
  ['2k', 2_000],
  ['800Gi', 800 * 2 ** 30],
  ['1e3', 1_000],
  ['-1', -1],
  [8, 8],
])('%s is %d', (text, number) => expect(parseQuantity(text)).toBeCloseTo(number, 9));

it.each(['', 'many', '1 Gi', '1K', 'Gi'])('%j is none', (text) =>
  expect(parseQuantity(text)).toBeUndefined(),
);
