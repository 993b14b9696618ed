import { expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { queuedNote } from '#shared/domain/queued-note.ts';
import { mayWait } from '../subscription/unfinished.ts';
import {
  admitted,
  decided,
  patchesIn,
  queuedFlow,
  running,
  snapshotOf,
  stopped,
  words,
  workloadOf,
} from '../testing/queued.ts';

const note = queuedNote({ queue: 'main', message: 'waits' });
const noted = { [annotations.queued]: note };
const unlabelled = (own: Readonly<Record<string, string>> = {}, more = {}) =>
  queuedFlow({ metadata: { labels: {}, annotations: own }, ...more });

it('a flow that has left its queue loses its Workload and its note (step 5)', () => {
  const workloads = [workloadOf(queuedFlow(), admitted)];
  const operations = decided(snapshotOf(unlabelled(noted), { workloads }));
  expect(words(operations)).toEqual(['patch Workload', 'delete Workload', 'patch JobFlow']);
  expect(patchesIn(operations)).toEqual([
    { metadata: { finalizers: [] } },
    { metadata: { annotations: { [annotations.queued]: null } } },
  ]);
});

it('a flow that a user has resumed after it left its queue loses its Workload too', () => {
  const workloads = [workloadOf(queuedFlow(), admitted)];
  const resumed = unlabelled({}, { spec: running });
  expect(words(decided(snapshotOf(resumed, { workloads })))).toEqual([
    'patch Workload',
    'delete Workload',
  ]);
});

it('a flow that has left its queue keeps its quota while its Pods are being stopped', () => {
  const workloads = [workloadOf(queuedFlow(), admitted)];
  const stopping = unlabelled(noted, { status: { ...stopped, running: 1 } });
  expect(decided(snapshotOf(stopping, { workloads }))).toEqual([]);
});

it('a flow that was in no queue is left alone, also with a note that names none', () => {
  const unqueued = { [annotations.queued]: queuedNote({ queue: '', message: 'names no queue' }) };
  expect(decided(snapshotOf(unlabelled(unqueued)))).toEqual([]);
});

it('a flow that has left its queue is looked at until its marks are gone', () => {
  expect(mayWait(unlabelled(noted))).toBe(true);
  expect(mayWait(unlabelled({ [annotations.givenUp]: '{}' }))).toBe(true);
  expect(mayWait(unlabelled())).toBe(false);
});
