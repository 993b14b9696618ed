import { expect, it } from 'vitest';
import { counted } from './wording.ts';

it('one thing is counted in the singular, any other number in the plural', () => {
  expect([0, 1, 2].map((count) => counted(count, 'Pod'))).toEqual(['0 Pods', '1 Pod', '2 Pods']);
});
