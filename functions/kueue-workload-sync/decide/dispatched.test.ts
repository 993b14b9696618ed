import { describe, expect, it } from 'vitest';
import { type JsonObject } from '#shared/domain/objects.ts';
import type { QueueSnapshot } from '../snapshot.ts';
import {
  admission,
  admitted,
  conditionsIn,
  decided,
  decision,
  nowMs,
  patchesIn,
  queuedFlow,
  running,
  snapshotOf,
  spot,
  stepNamed,
  words,
  workloadOf,
} from '../testing/queued.ts';

describe('a flow that runs on another cluster (spec.managedBy)', () => {
  const managedBy = 'kueue.x-k8s.io/multikueue';
  const elsewhere = (spec: JsonObject, status?: object) =>
    queuedFlow({ spec: { managedBy, ...spec }, ...(status === undefined ? {} : { status }) });
  const workload = (conditions: Record<string, string>) =>
    workloadOf(elsewhere({}), conditions, { admission });
  /** The status copied from the other cluster, with the generation of the copy. */
  const copied = { state: 'Running', observedGeneration: 7, startTime: '2026-11-27T09:00:00Z' };

  it('has a Workload, and is resumed when that is admitted', () => {
    expect(words(decided(snapshotOf(elsewhere({}))))[0]).toBe('create Workload');
    const workloads = [workload(admitted)];
    expect(words(decided(snapshotOf(elsewhere({}), { workloads, flavors: spot })))).toEqual([
      'patch JobFlow',
      'Event Started',
    ]);
  });

  it.each([
    [1, ['its Pods are ending'], []],
    [0, [], ['patch JobFlow', 'patchStatus Workload']],
  ])('gives its quota back when %d steps run there', (steps, says, writes) => {
    const workloads = [workload({ ...admitted, Evicted: 'Preempted' })];
    const flow = elsewhere({}, { ...copied, running: steps });
    const result = decision(snapshotOf(flow, { workloads }));
    for (const each of says) expect(result.reasons[0]?.message).toContain(each);
    expect(words(result.plan.flat())).toEqual(writes);
  });

  it('keeps its finished Workload while its status is behind', () => {
    const workloads = [workload({ ...admitted, Finished: 'Succeeded' })];
    const flow = elsewhere(running, { ...copied, running: 1 });
    expect(words(decided(snapshotOf(flow, { workloads })))).toEqual([
      'Event FinishedWorkload',
      'patch Workload',
    ]);
  });

  it('is not suspended when it has failed there, because it is not tried again here', () => {
    const workloads = [workload(admitted)];
    const flow = elsewhere(running, { ...copied, state: 'Failed' });
    expect(words(decided(snapshotOf(flow, { workloads })))).toEqual(['patchStatus Workload']);
  });
});

describe('a flow that MultiKueue has dispatched here', () => {
  const isDispatched = true as const;
  const dispatched = (more: Partial<QueueSnapshot> = {}, flow = queuedFlow()) =>
    decision(snapshotOf(flow, { isDispatched, flavors: spot, ...more }));
  const unowned = workloadOf(queuedFlow(), admitted, { admission }, { ownerReferences: [] });

  it('makes the Workload that came with it its own, and makes none', () => {
    const { plan } = dispatched({ workloads: [unowned] });
    expect(words(plan.flat())).toEqual(['patch Workload']);
    expect(patchesIn(plan.flat())[0]).toMatchObject({
      metadata: {
        labels: { 'kueue.x-k8s.io/job-uid': 'uid-of-etl', 'millrace.dev/owner-uid': 'uid-of-etl' },
        ownerReferences: [{ kind: 'JobFlow', name: 'etl', controller: true }],
      },
    });
  });

  it('starts when its own Workload is admitted', () => {
    const workloads = [workloadOf(queuedFlow(), admitted, { admission })];
    expect(words(dispatched({ workloads }).plan.flat())).toEqual([
      'patch JobFlow',
      'Event Started',
    ]);
  });

  it('waits and looks again while the Workload is not there', () => {
    const result = dispatched();
    expect(words(result.plan.flat())).toEqual(['patch JobFlow']);
    expect(result.reasons[0]?.message).toBe(
      'the Workload "jobflow-etl-12345" that MultiKueue names is not there',
    );
    expect(result.requeueAtMs).toBe(nowMs + 10_000);
  });

  it('is stopped where the Workload has gone', () => {
    const { plan } = dispatched({}, queuedFlow({ spec: running }));
    expect(words(plan.flat())).toEqual(['Event Stopped', 'patch JobFlow']);
  });

  it('finishes a Workload that says something else', () => {
    const workloads = [workloadOf(queuedFlow(), admitted, { admission })];
    const other = queuedFlow({ spec: { flows: [stepNamed('a')] } });
    const { plan } = dispatched({ workloads }, other);
    expect(conditionsIn(plan.flat())).toContain('Finished=True OutOfSync');
  });

  it('waits and says so where the cluster has no JobTemplate that it names', () => {
    const spec = { flows: [{ name: 'a', jobTemplateRef: 't' }] };
    const { plan } = dispatched(
      { workloads: [unowned], needed: { t: null } },
      queuedFlow({ spec }),
    );
    expect(words(plan.flat())).toEqual(['Event ErrWorkloadCompose', 'patch JobFlow']);
    expect(JSON.stringify(plan)).toContain('there is no JobTemplate \\"t\\"');
  });
});
