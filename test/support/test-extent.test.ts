import { expect, it } from 'vitest';
import { testExtent } from './test-extent.ts';

it('a run is as large as its settings say', () => {
  expect(testExtent('quick')).toBe('quick');
  expect(testExtent('recorded')).toBe('recorded');
});

it('refuses a word that it does not know, so that no suite is left out by a slip', () => {
  expect(() => testExtent('quik')).toThrow(/quik; it is one of/);
});
