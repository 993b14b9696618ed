import { expect, it } from 'vitest';
import { testExtent } from './test-extent.ts';

it('takes a run to be as large as it is told', () => {
  expect(testExtent('quick')).toBe('quick');
  expect(testExtent('recorded')).toBe('recorded');
});

it('refuses a word that it does not know, so that no suite is left out by a slip', () => {
  expect(() => testExtent('quik')).toThrow(/quik; it is one of/);
});
