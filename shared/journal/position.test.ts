import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatPosition, parsePosition } from './position.ts';

const part = () => fc.nat({ max: 9_999_999_999 });

it('sorts as text in the order of time and sequence', () => {
  fc.assert(
    fc.property(part(), part(), part(), part(), (msA, seqA, msB, seqB) => {
      const byNumber = msA - msB || seqA - seqB;
      const a = formatPosition(msA, seqA);
      const b = formatPosition(msB, seqB);
      expect(Math.sign(byNumber)).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

it('is parsed to what it was made of', () => {
  fc.assert(
    fc.property(part(), part(), (ms, sequence) => {
      expect(parsePosition(formatPosition(ms, sequence))).toEqual({ ms, sequence });
    }),
  );
});

it.each(['', '0', '1-1', '000000000000001-000000000000001x'])('refuses %j', (text) => {
  expect(() => parsePosition(text)).toThrow(TypeError);
});
