import { describe, expect, it } from 'vitest';
import {
  admission,
  admitted,
  conditionsIn,
  decided,
  decision,
  nowMs,
  patchesIn,
  queuedFlow,
  snapshotOf,
  stopped,
  words,
  workloadOf,
} from '../testing/queued.ts';

const succeeded = { state: 'Succeed', observedGeneration: 1 };
const deletionTimestamp = '2026-11-27T09:59:30Z';

describe('the end of a Workload', () => {
  const job = queuedFlow();

  it('takes its finalizer off when it is finished (step 10)', () => {
    const ended = queuedFlow({ status: succeeded });
    const workloads = [workloadOf(job, { Finished: 'Succeeded' })];
    const operations = decided(snapshotOf(ended, { workloads }));
    expect(words(operations)).toEqual(['Event FinishedWorkload', 'patch Workload']);
    expect(patchesIn(operations)).toEqual([{ metadata: { finalizers: [] } }]);
  });

  it('leaves one that is finished and let go as it is', () => {
    const ended = queuedFlow({ status: succeeded });
    const workloads = [workloadOf(job, { Finished: 'Succeeded' }, {}, { finalizers: [] })];
    expect(decided(snapshotOf(ended, { workloads }))).toEqual([]);
  });

  it('gives its place to another one when a failed flow is retried by hand', () => {
    const workloads = [workloadOf(job, { Finished: 'Failed' }, {}, { finalizers: [] })];
    const retried = queuedFlow({ status: stopped });
    expect(words(decided(snapshotOf(retried, { workloads })))).toEqual(['delete Workload']);
  });

  it('is let go when its flow is gone (step 1)', () => {
    const workloads = [workloadOf(job, admitted, { admission }, { deletionTimestamp })];
    const operations = decided(snapshotOf(undefined, { workloads }));
    expect(patchesIn(operations)).toEqual([{ metadata: { finalizers: [] } }]);
  });

  it('is finished first where it is not deleted', () => {
    const workloads = [workloadOf(job, admitted, { admission })];
    const operations = decided(snapshotOf(undefined, { workloads }));
    expect(conditionsIn(operations)).toContain('Finished=True OwnerNotFound');
  });

  it('is looked at again once it is finished if it has lost its owner', () => {
    const orphan = workloadOf(job, admitted, { admission }, { ownerReferences: [] });
    const first = decision(snapshotOf(undefined, { workloads: [orphan] }));
    expect(conditionsIn(first.plan.flat())).toContain('Finished=True OwnerNotFound');
    expect(first.requeueAtMs).toBe(nowMs + 1_000);
    const finished = workloadOf(job, { Finished: 'OwnerNotFound' }, {}, { ownerReferences: [] });
    const second = decision(snapshotOf(undefined, { workloads: [finished] }));
    expect(patchesIn(second.plan.flat())).toEqual([{ metadata: { finalizers: [] } }]);
    expect(second.requeueAtMs).toBeUndefined();
  });

  it.each([
    ['2026-11-27T09:59:30Z', 30_000],
    ['2026-11-27T10:00:00Z', 1_000],
  ])('keeps its quota while Jobs of a flow run that goes since %s', (since, waitMs) => {
    const going = queuedFlow({ metadata: { deletionTimestamp: since } });
    const workloads = [workloadOf(job, admitted, { admission }, { deletionTimestamp: since })];
    const result = decision(snapshotOf(going, { workloads, jobsLeft: 1 }));
    expect(result.plan).toEqual([]);
    expect(result.requeueAtMs).toBe(nowMs + waitMs);
  });
});
