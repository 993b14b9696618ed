import { expect, it } from 'vitest';
import { fits } from './capacity.ts';

it('a limit of nothing lets run what asks for nothing of it', () => {
  const limit = { jobs: 2, gpu: 0 };
  expect(fits(limit, { jobs: 1 })).toBe(true);
  expect(fits(limit, { jobs: 1, gpu: 1 })).toBe(false);
});

it('what is exactly as much as the limit fits, although sums are not exact', () => {
  expect(fits({ cpu: 0.3 }, { cpu: 0.1 + 0.2 })).toBe(true);
  expect(fits({ cpu: 0.3 }, { cpu: 0.301 })).toBe(false);
});
