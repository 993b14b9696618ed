import { describe, expect, it } from 'vitest';
import { listed, maxMessageLength, shortened } from './record.ts';

describe('a message of the status', () => {
  it('stays as it is up to the longest that a field may have', () => {
    const longest = 'x'.repeat(maxMessageLength);
    expect(shortened(longest)).toBe(longest);
  });

  it('is cut to that length beyond, and shows it', () => {
    const cut = shortened('x'.repeat(maxMessageLength + 1));
    expect(cut).toBe(`${'x'.repeat(maxMessageLength - 1)}\u2026`);
  });
});

describe('a list of names', () => {
  it.each([
    [['a', 'b'], 'a, b'],
    [['a', 'b', 'c'], 'a, b and 1 more'],
    [['a', 'b', 'c', 'd'], 'a, b and 2 more'],
  ])('names two and counts the others: %j', (names, text) => {
    expect(listed(names, 2)).toBe(text);
  });
});
