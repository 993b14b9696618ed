import { describe, expect, it } from 'vitest';
import {
  formatIntervals,
  includesIndex,
  lowestFree,
  overlap,
  parseIntervals,
  total,
  union,
  withIndexes,
} from './index-intervals.ts';

const parse = (text: string) => parseIntervals(text, 100);

describe('intervals of indexes', () => {
  it.each(['', '0', '0,1', '0-2', '1,3-5,7', '0-9,99'])('%j is read and written alike', (text) => {
    expect(formatIntervals(parse(text))).toBe(text);
  });

  it.each([
    ['0-2,x,5', '0-2,5'],
    ['3,4,5', '3-5'],
    ['98-200', '98,99'],
    ['100,200', ''],
  ])('%j is read as %j', (text, expected) => {
    expect(formatIntervals(parse(text))).toBe(expected);
  });

  it('grow by indexes that fill their gaps', () => {
    expect(formatIntervals(withIndexes(parse('0,2,9'), [1, 3, 3]))).toBe('0-3,9');
    expect(formatIntervals(union(parse('0-4,8'), parse('3-6')))).toBe('0-6,8');
  });

  it('are counted and searched', () => {
    expect(total(parse('0-4,7'))).toBe(6);
    expect([0, 4, 5, 7, 8].map((index) => includesIndex(parse('0-4,7'), index))).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
    expect(overlap(parse('0-4,7-9'), parse('3-8'))).toBe(4);
  });

  it.each([
    ['', 3, [0, 1, 2]],
    ['0,2', 3, [1, 3, 4]],
    ['0-4', 3, []],
    ['0-2', 9, [3, 4]],
  ])('leave free beside %j, of %i wanted and five in all, %j', (text, count, free) => {
    expect(lowestFree(parse(text), count, 5)).toEqual(free);
  });
});
