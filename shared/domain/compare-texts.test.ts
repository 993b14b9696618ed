import { expect, it } from 'vitest';
import { compareTexts } from './compare-texts.ts';

it('sorts by code units, capitals before small letters', () => {
  expect(['b', 'a', 'ä', 'B', 'a-1', 'a'].sort(compareTexts)).toEqual([
    'B',
    'a',
    'a',
    'a-1',
    'b',
    'ä',
  ]);
  expect(compareTexts('a', 'a')).toBe(0);
});
