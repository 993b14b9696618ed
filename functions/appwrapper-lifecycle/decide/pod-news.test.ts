import { expect, it } from 'vitest';
import { tooFewRun } from './pod-news.ts';

it('a wrapper of one Pod says so in the singular', () => {
  expect([1, 3].map((expected) => tooFewRun(expected).message)).toEqual([
    'its Pod does not run yet',
    'not all of its 3 Pods run yet',
  ]);
});
