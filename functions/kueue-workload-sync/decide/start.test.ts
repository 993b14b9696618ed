import { describe, expect, it } from 'vitest';
import { type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import {
  admission,
  admitted,
  conditionsIn,
  decided,
  decision,
  patchesIn,
  queuedFlow,
  running,
  snapshotOf,
  spot,
  stopped,
  words,
  workloadOf,
} from '../testing/queued.ts';

const succeeded = { state: 'Succeed', observedGeneration: 1 };

describe('a flow whose Workload is admitted', () => {
  const job = queuedFlow();
  const workloads = [workloadOf(job, admitted, { admission })];

  it('is given its places and resumed by one patch on what was read (step 18)', () => {
    const operations = decided(snapshotOf(job, { workloads, flavors: spot }));
    expect(words(operations)).toEqual(['patch JobFlow', 'Event Started']);
    const [patch] = operations;
    expect(patch).toMatchObject({ resourceVersion: '5', uid: 'uid-of-etl' });
    expect(patchesIn(operations)).toEqual([
      {
        spec: {
          suspend: false,
          podSetInfos: ['a', 'b'].map((name) => ({
            name,
            labels: {
              'kueue.x-k8s.io/podset': name,
              'kueue.x-k8s.io/local-queue-name': 'main',
              'kueue.x-k8s.io/cluster-queue-name': 'team',
            },
            annotations: { 'kueue.x-k8s.io/workload': 'jobflow-etl-12345' },
            nodeSelector: { pool: 'spot' },
            tolerations: [{ key: 'spot' }],
          })),
        },
      },
    ]);
  });

  it('gives a step what an admission check adds to its podSet, and no other step', () => {
    const podSetUpdates = [{ name: 'a', labels: { team: 'blue' }, nodeSelector: { zone: 'z1' } }];
    const admissionChecks = [{ name: 'check', state: 'Ready', podSetUpdates }];
    const checked = [workloadOf(job, admitted, { admission, admissionChecks })];
    const [patch] = patchesIn(decided(snapshotOf(job, { workloads: checked, flavors: spot })));
    const { podSetInfos } = patch?.['spec'] as { readonly podSetInfos: readonly JsonObject[] };
    expect(podSetInfos).toMatchObject([
      { name: 'a', labels: { team: 'blue' }, nodeSelector: { pool: 'spot', zone: 'z1' } },
      { name: 'b' },
    ]);
    expect(JSON.stringify(podSetInfos[1])).not.toMatch(/blue|z1/);
  });

  it('waits for a ResourceFlavor that is not there', () => {
    const result = decision(snapshotOf(job, { workloads, flavors: { spot: null } }));
    expect(result.reasons[0]?.message).toBe('there is no ResourceFlavor "spot"');
    expect(result.requeueAtMs).toBeDefined();
  });

  it('never starts where its own node selector contradicts the flavor', () => {
    const pod = { nodeSelector: { pool: 'gold' }, containers: [{ name: 'main', image: 'x' }] };
    const flows = ['a', 'b'].map((name) => ({ name, jobTemplate: { template: { spec: pod } } }));
    const gold = queuedFlow({ spec: { flows } });
    const own = [workloadOf(gold, admitted, { admission })];
    const operations = decided(snapshotOf(gold, { workloads: own, flavors: spot }));
    expect(words(operations)).toEqual(['patchStatus Workload']);
    expect(conditionsIn(operations)).toContain('Finished=True FailedToStart');
  });

  it('is left alone while it runs (step 20)', () => {
    const runs = queuedFlow({ spec: running });
    expect(decided(snapshotOf(runs, { workloads }))).toEqual([]);
  });

  it('reports once that its Pods are ready, and returns the quota of those that succeeded (steps 15 and 16)', () => {
    const jobStatusList = [
      { name: 'a', state: 'Succeed' },
      { name: 'b', state: 'Running' },
    ];
    const runs = queuedFlow({ spec: running, status: { state: 'Running', jobStatusList } });
    const operations = decided(snapshotOf(runs, { workloads }));
    expect(conditionsIn(operations)).toContain('PodsReady=True Started');
    expect(operations).toMatchObject([{ status: { reclaimablePods: [{ name: 'a', count: 1 }] } }]);
    const reclaimablePods = [{ name: 'a', count: 1 }];
    const known = [
      workloadOf(job, { ...admitted, PodsReady: 'Started' }, { admission, reclaimablePods }),
    ];
    expect(decided(snapshotOf(runs, { workloads: known }))).toEqual([]);
  });

  /** Kueue's table, and a failed step that is retried. */
  it.each([
    ['no step runs yet', running, 'Pending', admitted, []],
    ['the first step runs', running, 'Running', admitted, ['PodsReady=True Started']],
    [
      'the first step runs again',
      running,
      'Running',
      { ...admitted, PodsReady: '!WaitForStart' },
      ['PodsReady=True Started'],
    ],
    ['a step failed after it ran', running, 'Failed', { ...admitted, PodsReady: 'Started' }, []],
    [
      'its admission has ended',
      {},
      'Running',
      { QuotaReserved: '!Pending', Admitted: '!NoReservation', PodsReady: 'Started' },
      ['PodsReady=False WaitForStart'],
    ],
  ])('reports the state of its Pods: %s', (_, spec, state, conditions, reported) => {
    const jobStatusList = [{ name: 'a', state }];
    const flow = queuedFlow({ spec, status: { ...stopped, state: 'Running', jobStatusList } });
    const own = [workloadOf(job, conditions, { admission })];
    const all = conditionsIn(decided(snapshotOf(flow, { workloads: own })));
    expect(all.filter((each) => each.startsWith('PodsReady'))).toEqual(reported);
  });

  const reports = (lastUpdateTime: string, at: string, of = workloads) => {
    const jobStatusList = [{ name: 'a', state: 'Running' }];
    const runs = queuedFlow({
      spec: running,
      status: { state: 'Running', jobStatusList, lastUpdateTime },
    });
    return decision(snapshotOf(runs, { workloads: of }), `2026-11-27T${at}Z`);
  };

  it('reports nothing in the first ten seconds, since a brief flow is over by then', () => {
    const early = reports('2026-11-27T09:59:01Z', '09:59:09.999');
    expect(early.plan).toEqual([]);
    expect(early.requeueAtMs).toBe(Date.parse('2026-11-27T09:59:10Z'));
    for (const at of ['09:59:10', '09:59:19', '09:58:00']) {
      const due = reports('2026-11-27T09:59:01Z', at);
      expect(words(due.plan.flat())).toEqual(['patchStatus Workload']);
    }
  });

  it('reports its news every ten seconds at most', () => {
    const early = reports('2026-11-27T09:59:10.001Z', '09:59:19.999');
    expect(early.plan).toEqual([]);
    expect(early.requeueAtMs).toBe(Date.parse('2026-11-27T09:59:20Z'));
    const due = reports('2026-11-27T09:59:10.001Z', '09:59:20');
    expect(words(due.plan.flat())).toEqual(['patchStatus Workload']);
  });

  it('reports at once that its Pods are ready where Kueue waits for that (waitForPodsReady)', () => {
    const status = {
      ...{ state: 'Running', lastUpdateTime: '2026-11-27T09:59:01Z' },
      jobStatusList: [
        { name: 'a', state: 'Succeed' },
        { name: 'b', state: 'Running' },
      ],
    };
    const runs = queuedFlow({ spec: running, status });
    const decidedOn = (of: readonly KubeObject[]) => {
      const snapshot = snapshotOf(runs, { workloads: of, awaitsReadiness: true });
      return decision(snapshot, '2026-11-27T09:59:02Z');
    };
    expect(conditionsIn(decidedOn(workloads).plan.flat())).toContain('PodsReady=True Started');
    const ready = [workloadOf(job, { ...admitted, PodsReady: 'Started' }, { admission })];
    expect(decidedOn(ready).plan).toEqual([]);
    expect(decidedOn(ready).requeueAtMs).toBe(Date.parse('2026-11-27T09:59:10Z'));
  });

  it('is stopped by an eviction before it reports anything', () => {
    const evicted = [workloadOf(job, { ...admitted, Evicted: 'Preempted' }, { admission })];
    const stops = reports('2026-11-27T09:59:01Z', '09:59:30', evicted);
    expect(words(stops.plan.flat())).toEqual(['Event Stopped', 'patch JobFlow']);
  });

  it('is finished with the words of the flow (step 13)', () => {
    const ended = queuedFlow({ spec: running, status: succeeded });
    const operations = decided(snapshotOf(ended, { workloads }));
    expect(words(operations)).toEqual(['patchStatus Workload']);
    expect(conditionsIn(operations)).toContain('Finished=True Succeeded');
  });

  it.each([
    ['by its message', { message: 'a failed', reason: 'StepFailed' }, 'a failed'],
    ['by its reason when there is no message', { reason: 'StepFailed' }, 'StepFailed'],
    [
      'by its reason when the message is empty',
      { message: '', reason: 'StepFailed' },
      'StepFailed',
    ],
    ['in general words when there is neither', {}, 'the flow failed'],
  ])('reports to Kueue why it failed: %s', (_, why, message) => {
    const ended = queuedFlow({ spec: running, status: { state: 'Failed', ...why } });
    const [, finished] = decided(snapshotOf(ended, { workloads }));
    expect(finished?.kind === 'patchStatus' && finished.status['conditions']).toContainEqual(
      expect.objectContaining({ type: 'Finished', message }),
    );
  });

  it('is suspended when it has failed, so that a retry waits for another admission', () => {
    const ended = queuedFlow({ spec: running, status: { state: 'Failed', message: 'a failed' } });
    const operations = decided(snapshotOf(ended, { workloads }));
    expect(words(operations)).toEqual(['patch JobFlow', 'patchStatus Workload']);
    expect(conditionsIn(operations)).toContain('Finished=True Failed');
  });
});
