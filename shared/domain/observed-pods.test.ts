import { expect, it } from 'vitest';
import { observedPods } from './observed-pods.ts';
import { pod } from './testing/objects.ts';

it('the Pods of a Job are gone if the Job counts a failed one and none is there', () => {
  expect(observedPods({ active: 0, ready: 0, failed: 1 }, [])).toMatchObject({ areGone: true });
  const there = [pod({ status: { phase: 'Failed' } })];
  expect(observedPods({ active: 0, ready: 0, failed: 1 }, there)).not.toHaveProperty('areGone');
  expect(observedPods({ active: 0, ready: 0, failed: 0 }, [])).not.toHaveProperty('areGone');
});
