import { describe, expect, it } from 'vitest';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { QueueSnapshot } from '../snapshot.ts';
import { takesForAbsent } from '../stops-job.ts';
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
  stopped,
  words,
  workloadOf,
} from '../testing/queued.ts';

const deletionTimestamp = '2026-11-27T09:59:30Z';
const givenUp = (version: string) => ({
  'millrace.dev/given-up': JSON.stringify({ uid: 'uid-of-workload', version }),
});

describe('a flow that may not run', () => {
  const job = queuedFlow();
  const runs = queuedFlow({ spec: running, status: { state: 'Running', startTime: 'x' } });
  const stop = { spec: { suspend: true, podSetInfos: null } };
  const stands = queuedFlow({
    metadata: {
      labels: { 'kueue.x-k8s.io/queue-name': 'main' },
      annotations: givenUp('9'),
    },
    status: stopped,
  });

  it.each([
    ['has no Workload (3.3)', []],
    ['is not admitted (step 19)', [workloadOf(job)]],
    [
      'is evicted (step 17)',
      [workloadOf(job, { ...admitted, Evicted: 'Preempted' }, { admission })],
    ],
    [
      'has a Workload under deletion (step 11)',
      [workloadOf(job, admitted, { admission }, { deletionTimestamp })],
    ],
    ['has a Workload that is finished (step 10)', [workloadOf(job, { Finished: 'OutOfSync' })]],
  ])('is suspended when it %s', (_, workloads) => {
    const operations = decided(snapshotOf(runs, { workloads }));
    expect(words(operations)).toEqual(['Event Stopped', 'patch JobFlow']);
    expect(patchesIn(operations)).toMatchObject([stop]);
  });

  it('is suspended only while its Workloads are as they were read: a view of them may be behind', () => {
    const workload = workloadOf(job, { ...admitted, Evicted: 'Preempted' }, { admission });
    const { name, namespace, uid, resourceVersion } = workload.metadata;
    const { restsOn } = decision(snapshotOf(runs, { workloads: [workload] }));
    const target = { namespace, name };
    expect(restsOn).toEqual([{ resource: resources.Workload, target, uid, resourceVersion }]);
    const admits = snapshotOf(runs, { workloads: [workloadOf(job, admitted, { admission })] });
    expect(decision(admits)).not.toHaveProperty('restsOn');
  });

  it('is suspended for want of a Workload only if the API server has none', () => {
    const absent = (snapshot: QueueSnapshot) => takesForAbsent(snapshot, decision(snapshot));
    expect(absent(snapshotOf(runs))).toBe(resources.Workload);
    expect(absent(snapshotOf(runs, { workloads: [workloadOf(job)] }))).toBeUndefined();
    expect(absent(snapshotOf(stands))).toBeUndefined();
    const ancestor = { kind: 'managed', owner: 'AppWrapper a', isAdmitted: false } as const;
    expect(absent({ ...snapshotOf(runs), ancestor })).toBeUndefined();
  });

  it('names the admission that it gives up with the patch that stops it', () => {
    const workloads = [workloadOf(job, { ...admitted, Evicted: 'Preempted' }, { admission })];
    const [patch] = patchesIn(decided(snapshotOf(runs, { workloads })));
    expect(patch?.['metadata']).toEqual({ annotations: givenUp('9') });
  });

  it('starts by no version of its Workload up to the one that it has given up', () => {
    const label = { labels: { 'kueue.x-k8s.io/queue-name': 'main' } };
    const stands = queuedFlow({ metadata: { ...label, annotations: givenUp('9') } });
    const seen = (version: string, uid = 'uid-of-workload') =>
      workloadOf(
        job,
        admitted,
        { admission },
        { resourceVersion: asResourceVersion(version), uid: asUid(uid) },
      );
    const starts = (workload: KubeObject) =>
      words(decided(snapshotOf(stands, { workloads: [workload], flavors: spot })));
    expect(starts(seen('8'))).toEqual([]);
    expect(starts(seen('10'))).toEqual(['patch JobFlow', 'Event Started']);
    expect(starts(seen('8', 'another'))).toEqual(['patch JobFlow', 'Event Started']);
  });

  it('gets another Workload where a crash came before the quota of the one was given back', () => {
    const workloads = [workloadOf(job, admitted, { admission })];
    expect(decided(snapshotOf(stands, { workloads, flavors: spot }))).toMatchObject([
      { kind: 'delete', target: { name: workloads[0]?.metadata.name }, resourceVersion: '9' },
    ]);
    const ending = { ...stands, status: { ...stopped, running: 1 } };
    expect(decided(snapshotOf(ending, { workloads, flavors: spot }))).toEqual([]);
  });

  it('gives up an admission by which it never ran before its quota is given back', () => {
    const workloads = [workloadOf(job, { ...admitted, Evicted: 'Preempted' }, { admission })];
    const operations = decided(snapshotOf(job, { workloads }));
    expect(words(operations)).toEqual(['patch JobFlow', 'patchStatus Workload']);
    expect(patchesIn(operations)).toEqual([{ metadata: { annotations: givenUp('9') } }]);
  });

  it('gives its quota back when nothing of it runs any more, and not before', () => {
    const workloads = [workloadOf(job, { ...admitted, Evicted: 'Preempted' }, { admission })];
    const stopping = queuedFlow({ status: { ...stopped, running: 1 } });
    expect(decided(snapshotOf(stopping, { workloads }))).toEqual([]);
    const unseen = queuedFlow({
      metadata: { generation: 2, labels: { 'kueue.x-k8s.io/queue-name': 'main' } },
      status: stopped,
    });
    expect(decided(snapshotOf(unseen, { workloads }))).toEqual([]);
    const operations = decided(snapshotOf(stands, { workloads }));
    expect(conditionsIn(operations)).toEqual(
      expect.arrayContaining([
        'QuotaReserved=False Pending',
        'Admitted=False NoReservation',
        'Requeued=True Preempted',
      ]),
    );
    expect(operations).toMatchObject([
      { status: { admission: null, accumulatedPastExecutionTimeSeconds: 60 } },
    ]);
  });

  it('says with the return of its quota what has succeeded and that its Pods are not ready', () => {
    const conditions = { ...admitted, PodsReady: 'Started', Evicted: 'Preempted' };
    const workloads = [workloadOf(job, conditions, { admission })];
    const jobStatusList = [{ name: 'a', state: 'Succeed' }];
    const half = queuedFlow({
      metadata: { annotations: givenUp('9') },
      status: { ...stopped, jobStatusList },
    });
    const operations = decided(snapshotOf(half, { workloads }));
    expect(operations).toMatchObject([
      { status: { admission: null, reclaimablePods: [{ name: 'a', count: 1 }] } },
    ]);
    expect(conditionsIn(operations)).toContain('PodsReady=False WaitForStart');
  });

  it('gives nothing up once more where no quota is held', () => {
    const workloads = [workloadOf(job, {}, {}, { deletionTimestamp })];
    const operations = decided(snapshotOf(stands, { workloads }));
    expect(patchesIn(operations)).toEqual([{ metadata: { finalizers: [] } }]);
  });

  it('keeps its quota until a status says so of its Jobs, which may be there before', () => {
    const workloads = [workloadOf(job, { ...admitted, Evicted: 'Preempted' }, { admission })];
    const labels = { 'kueue.x-k8s.io/queue-name': 'main' };
    const resumedOnce = queuedFlow({ metadata: { labels, generation: 3 } });
    expect(decision(snapshotOf(resumedOnce, { workloads })).reasons[0]?.message).toContain(
      'its Pods are ending',
    );
  });

  it('is not queued again by itself when it was deactivated', () => {
    const workloads = [workloadOf(job, { ...admitted, Evicted: 'Deactivated' }, { admission })];
    const operations = decided(snapshotOf(queuedFlow({ status: stopped }), { workloads }));
    expect(conditionsIn(operations)).toContain('Requeued=False Deactivated');
  });

  it('lets a deleted Workload go when it has stopped, and gets another one', () => {
    const workloads = [workloadOf(job, admitted, { admission }, { deletionTimestamp })];
    const operations = decided(snapshotOf(stands, { workloads }));
    expect(patchesIn(operations)).toEqual([{ metadata: { finalizers: [] } }]);
    expect(words(decided(snapshotOf(queuedFlow({ status: stopped }))))[0]).toBe('create Workload');
  });

  it('says so by an Event where the API server refuses to stop it', () => {
    const runs = queuedFlow({ spec: running });
    const workloads = [workloadOf(queuedFlow(), { Evicted: 'Preempted' })];
    expect(words(decided(snapshotOf(runs, { workloads })))).toContain('patch JobFlow');
    const refused = {
      name: 'etl',
      uid: runs.metadata.uid,
      code: 'Refused',
      message: 'no',
    } as const;
    const result = decision(snapshotOf(runs, { workloads, rejections: [refused] }));
    expect(words(result.plan.flat())).toEqual(['Event Refused']);
    expect(result.requeueAtMs).toBe(nowMs + 30_000);
  });
});
