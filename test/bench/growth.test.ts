import { describe, expect, it } from 'vitest';
import { costExponent } from './growth.ts';
import { percentile } from './percentile.ts';

describe('the exponent of a cost', () => {
  const costs = (of: (size: number) => number) =>
    costExponent([10, 100, 1_000].map((size) => ({ size, cost: of(size) })));

  it.each([0, 1, 1.5, 2])('is %d for a cost of that power, whatever its factor', (power) => {
    expect(costs((size) => 7 * size ** power)).toBeCloseTo(power, 10);
  });

  it('lies between those of its parts', () => {
    const exponent = costs((size) => 20 * size + 0.1 * size ** 2);
    expect(exponent).toBeGreaterThan(1);
    expect(exponent).toBeLessThan(2);
  });

  it('is not known from one size', () => {
    expect(costExponent([{ size: 10, cost: 3 }])).toBeNaN();
  });
});

describe('a percentile', () => {
  const samples = Array.from({ length: 100 }, (_, index) => 100 - index);

  it('is the sample below which that part of them lies', () => {
    expect(percentile(samples, 0.5)).toBe(51);
    expect(percentile(samples, 0.99)).toBe(100);
    expect(percentile([3], 0.99)).toBe(3);
  });

  it('is not known without samples', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});
