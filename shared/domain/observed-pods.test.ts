import { expect, it } from 'vitest';
import { observedPods } from './observed-pods.ts';
import { pod } from './testing/objects.ts';

it('the Pods of a Job are gone if the Job counts a failed one and none is there', () => {
  expect(observedPods({ active: 0, ready: 0, failed: 1 }, [])).toMatchObject({ areGone: true });
  const there = [pod({ status: { phase: 'Failed' } })];
  expect(observedPods({ active: 0, ready: 0, failed: 1 }, there)).not.toHaveProperty('areGone');
  expect(observedPods({ active: 0, ready: 0, failed: 0 }, [])).not.toHaveProperty('areGone');
});

it('a Pod that is being deleted is named until it has ended', () => {
  const deleted = { deletionTimestamp: '2026-01-05T10:00:00Z' };
  const running = pod({ metadata: deleted, status: { phase: 'Running' } });
  const counts = { active: 0, ready: 0, failed: 0 };
  expect(observedPods(counts, [running]).leaving).toBe(running.metadata.name);
  const ended = pod({ metadata: deleted, status: { phase: 'Failed' } });
  expect(observedPods(counts, [ended])).not.toHaveProperty('leaving');
});
