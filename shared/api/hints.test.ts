import { expect, it } from 'vitest';
import { didYouMean, Hints } from './fault.ts';

const names = (count: number) =>
  new Set(Array.from({ length: count }, (_, index) => `step-${String(index).padStart(5, '0')}`));

it('hints at what is near', () => {
  expect(didYouMean('extarct', ['load', 'extract'])).toBe('extract');
  expect(didYouMean('b', ['a-much-longer-name'])).toBeUndefined();
});

it('hints for the first few words of an object only', () => {
  const hints = new Hints(names(10));
  const found = Array.from({ length: 5 }, () => hints.nearTo('step-0000x'));
  expect(found).toEqual(['step-00000', 'step-00000', 'step-00000', undefined, undefined]);
});

it('compares a word with a bounded number of candidates, and no word that is too long', () => {
  let compared = 0;
  const counted = {
    *[Symbol.iterator]() {
      for (const name of names(5_000)) {
        compared += 1;
        yield name;
      }
    },
  };
  didYouMean('step-0000x', counted);
  expect(compared).toBe(100);
  expect(didYouMean('x'.repeat(100_000), ['y'.repeat(100_000)])).toBeUndefined();
});
