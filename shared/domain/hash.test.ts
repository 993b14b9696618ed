import { describe, expect, it } from 'vitest';
import { contentHash, stableJson } from './hash.ts';

describe('contentHash', () => {
  it('does not depend on the order of keys or on undefined members', () => {
    expect(contentHash({ a: 1, b: { c: [1, 2] } })).toBe(
      contentHash({ b: { c: [1, 2] }, a: 1, d: undefined }),
    );
  });

  it('depends on the order of lists, on types and on names', () => {
    const hashes = [{ a: [1, 2] }, { a: [2, 1] }, { a: ['1', 2] }, { b: [1, 2] }].map(contentHash);
    expect(new Set(hashes).size).toBe(4);
  });

  it('is sixteen hexadecimal digits and never changes', () => {
    expect(contentHash({})).toBe('44136fa355b3678a');
  });
});

describe('stableJson', () => {
  it('is JSON', () => {
    const value = { text: 'a"b\n', list: [null, true, { x: 1.5 }], nothing: {} };
    expect(JSON.parse(stableJson(value))).toEqual(value);
  });
});
