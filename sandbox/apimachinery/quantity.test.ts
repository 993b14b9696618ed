import { expect, it } from 'vitest';
import { billion, parseQuantity, quantityFault, wholeUnits } from './quantity.ts';

it.each([
  ['1', 1_000_000_000n],
  ['100m', 100_000_000n],
  ['1.5', 1_500_000_000n],
  ['-1', -1_000_000_000n],
  ['2Gi', 2n ** 31n * billion],
  ['1e3', 1000n * billion],
  ['2E', 2n * 10n ** 18n * billion],
  ['9007199254740993', 9007199254740993n * billion],
  ['1n', 1n],
  ['0.1n', 1n],
])('%j are so many billionths', (text, billionths) => {
  expect(parseQuantity(text)).toBe(billionths);
});

it.each(['', '1KiB', '1Gb', 'x'])('%j is no quantity', (text) => {
  expect(quantityFault(text)).toMatch(/quantit/);
  expect(wholeUnits(text, billion)).toBe(0);
});

it('rounds up to whole units without the faults of fractions', () => {
  const thousandths = ['0.1', '100m', '0.3', '1', '1.0005', '-0.0005'].map((text) =>
    wholeUnits(text, billion / 1000n),
  );
  expect(thousandths).toEqual([100, 100, 300, 1000, 1001, 0]);
  expect(wholeUnits(3, billion)).toBe(3);
});
