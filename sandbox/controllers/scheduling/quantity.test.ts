import { expect, it } from 'vitest';
import { amountOf, parseQuantity } from './quantity.ts';

it.each([
  ['1', 1],
  ['100m', 0.1],
  ['1.5', 1.5],
  ['2Gi', 2 ** 31],
  ['1e3', 1000],
  ['2E', 2e18],
  ['5k', 5000],
  [3, 3],
  ['', undefined],
  ['1KiB', undefined],
])('%j is %s', (quantity, value) => {
  expect(parseQuantity(quantity)).toBe(value);
});

it('counts cpu in thousandths without the faults of fractions', () => {
  expect(['0.1', '100m', '0.3', '1', '1.0005'].map((text) => amountOf('cpu', text))).toEqual([
    100, 100, 300, 1000, 1001,
  ]);
});
