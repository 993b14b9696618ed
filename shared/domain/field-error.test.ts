import { describe, expect, it } from 'vitest';
import { invalid, subdomainFaults, together } from './field-error.ts';

describe('a fault of a field', () => {
  it('shows 300 characters of its value whole', () => {
    const value = 'v'.repeat(300);
    expect(invalid('spec', value, 'no')).toBe(`spec: Invalid value: "${value}": no`);
  });

  it('shows the first 300 characters of a longer one', () => {
    const begun = 'v'.repeat(300);
    expect(invalid('spec', `${begun}w`, 'no')).toBe(`spec: Invalid value: "${begun}...": no`);
  });
});

describe('several faults', () => {
  const faults = (count: number) => Array.from({ length: count }, (_, index) => `fault ${index}`);

  it('are listed in brackets, ten at most', () => {
    expect(together(faults(11))).toBe(`[${faults(10).join(', ')}]`);
  });

  it('are listed once each', () => {
    expect(together(['a', 'b', 'a'])).toBe('[a, b]');
    expect(together(['a', 'a'])).toBe('a');
  });
});

describe('the name of an object', () => {
  it('may have 253 characters', () => {
    expect(subdomainFaults('a'.repeat(253))).toEqual([]);
  });

  it('has no more', () => {
    expect(subdomainFaults('a'.repeat(254))).toEqual(['must be no more than 253 characters']);
  });
});
