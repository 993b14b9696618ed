import { expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type ObjectMeta } from '#shared/domain/objects.ts';
import type { ParentStatus } from './parent.ts';
import { hasOutlived, isUnderway } from './unfinished.ts';

const parent = (status: ParentStatus, more: Partial<ObjectMeta> = {}) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Wrapper',
  metadata: {
    name: 'w',
    uid: asUid('u'),
    resourceVersion: asResourceVersion('1'),
    generation: 2,
    ...more,
  },
  spec: { ttlSecondsAfterFinished: 60 },
  status,
});
const ended: ParentStatus = {
  state: 'Failed',
  observedGeneration: 2,
  completionTime: '2026-11-27T10:00:00Z',
};

it.each([
  ['has not ended', parent({ ...ended, state: 'Running' })],
  ['is being deleted', parent(ended, { deletionTimestamp: '2026-11-27T10:00:00Z' })],
  ['was edited since its status was written', parent({ ...ended, observedGeneration: 1 })],
  ['was asked to retry', parent(ended, { annotations: { [annotations.retry]: '1' } })],
])('a parent that %s is under way', (_, each) => {
  expect(isUnderway(each)).toBe(true);
});

it('a parent whose end is on record is under way no more', () => {
  expect(isUnderway(parent(ended))).toBe(false);
});

it('a parent has outlived its TTL from the second on in which it passes', () => {
  const dueMs = Date.parse('2026-11-27T10:01:00Z');
  expect([dueMs - 1, dueMs].map((nowMs) => hasOutlived(parent(ended), nowMs))).toEqual([
    false,
    true,
  ]);
});
