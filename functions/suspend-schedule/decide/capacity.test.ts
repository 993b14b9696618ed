import { expect, it } from 'vitest';
import { inheritedNames } from '#shared/domain/testing/inherited-names.ts';
import { fits, plus } from './capacity.ts';

it('a limit of nothing lets run what asks for nothing of it', () => {
  const limit = { jobs: 2, gpu: 0 };
  expect(fits(limit, { jobs: 1 })).toBe(true);
  expect(fits(limit, { jobs: 1, gpu: 1 })).toBe(false);
});

it('what is exactly as much as the limit fits, although sums are not exact', () => {
  expect(fits({ cpu: 0.3 }, { cpu: 0.1 + 0.2 })).toBe(true);
  expect(fits({ cpu: 0.3 }, { cpu: 0.301 })).toBe(false);
});

it.each(inheritedNames)('a resource called %s is counted like any other', (name) => {
  const two = Object.fromEntries([[name, 2]]);
  expect(fits(two, { jobs: 1 })).toBe(true);
  expect(fits(two, two)).toBe(true);
  expect(fits(two, plus(two, two))).toBe(false);
});
