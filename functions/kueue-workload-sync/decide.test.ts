import { describe, expect, it } from 'vitest';
import { omit } from '#shared/domain/omit.ts';
import {
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import type { QueueSnapshot } from './snapshot.ts';
import { asWorkload, conditionOf } from './workload.ts';
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
  stepNamed,
  words,
  workloadOf,
} from './testing/queued.ts';

const running = { suspend: false };
const spot = { spot: { nodeLabels: { pool: 'spot' }, tolerations: [{ key: 'spot' }] } };
const succeeded = { state: 'Succeed', observedGeneration: 1 };
const deletionTimestamp = '2026-11-27T09:59:30Z';
/** Processed since its suspension, and nothing of it runs. */
const stopped = {
  state: 'Suspended',
  observedGeneration: 1,
  startTime: '2026-11-27T09:00:00Z',
  running: 0,
  conditions: [{ type: 'Suspended', status: 'True', reason: 'x', message: 'x' }],
};

const givenUp = (version: string) => ({
  'millrace.dev/given-up': JSON.stringify({ uid: 'uid-of-workload', version }),
});

describe('a flow that waits in a queue', () => {
  it('gets a Workload with a podSet for each step (step 14)', () => {
    const operations = decided(snapshotOf(queuedFlow()));
    expect(words(operations)).toEqual(['create Workload', 'Event CreatedWorkload']);
    const [create] = operations;
    expect(create?.kind === 'create' && create.object).toMatchObject({
      metadata: {
        name: 'jobflow-etl-12345',
        labels: { 'kueue.x-k8s.io/job-uid': 'uid-of-etl', 'millrace.dev/owner-uid': 'uid-of-etl' },
        finalizers: ['kueue.x-k8s.io/resource-in-use'],
        ownerReferences: [{ kind: 'JobFlow', name: 'etl', controller: true }],
      },
      spec: { queueName: 'main', priority: 0, podSets: [{ name: 'a', count: 1 }, { name: 'b' }] },
    });
  });

  it.each([
    ['60', 60],
    ['0', undefined],
    ['soon', undefined],
  ])('tells Kueue for how many seconds it may run, by its label: %s', (text, seconds) => {
    const labels = {
      'kueue.x-k8s.io/queue-name': 'main',
      'kueue.x-k8s.io/max-exec-time-seconds': text,
    };
    const { spec } = workloadOf(queuedFlow({ metadata: { labels } }));
    expect((spec as JsonObject)['maximumExecutionTimeSeconds']).toBe(seconds);
  });

  it('shows Kueue the labels that its Pods get, a step before the flow', () => {
    const container = { name: 'main', image: 'busybox' };
    const template = { metadata: { labels: { tier: 'gpu' } }, spec: { containers: [container] } };
    const spec = {
      globalParams: { labels: { team: 'etl', tier: 'cpu' } },
      flows: [{ name: 'a', jobTemplate: { template } }],
    };
    const workload = workloadOf(queuedFlow({ spec }));
    expect(workload.spec).toMatchObject({
      podSets: [{ template: { metadata: { labels: { team: 'etl', tier: 'gpu' } } } }],
    });
  });

  it('does nothing without a label of a queue (step 5)', () => {
    expect(decided(snapshotOf(queuedFlow({ metadata: { labels: {} } })))).toEqual([]);
  });

  it('does nothing while Kueue has not said anything', () => {
    const job = queuedFlow();
    expect(decided(snapshotOf(job, { workloads: [workloadOf(job)] }))).toEqual([]);
  });

  it('says that Kueue is silent when a sweep finds it so after ten seconds', () => {
    const job = queuedFlow();
    const madeAt = (creationTimestamp: string) => [workloadOf(job, {}, {}, { creationTimestamp })];
    const told = (at: string) => decided(snapshotOf(job, { workloads: madeAt(at) }));
    expect(told('2026-11-27T09:59:51Z')).toEqual([]);
    expect(JSON.stringify(patchesIn(told('2026-11-27T09:59:50Z')))).toContain(
      'Kueue has said nothing of it yet: it waits behind others that ask for the same',
    );
  });

  it('says on the flow what Kueue says of it, once', () => {
    const job = queuedFlow();
    const workloads = [workloadOf(job, { QuotaReserved: '!Pending' })];
    const [patch] = patchesIn(decided(snapshotOf(job, { workloads })));
    const note = '{"queue":"main","message":"QuotaReserved because"}';
    expect(patch).toEqual({ metadata: { annotations: { 'millrace.dev/queued': note } } });
    const told = queuedFlow({ metadata: { annotations: { 'millrace.dev/queued': note } } });
    expect(decided(snapshotOf(told, { workloads }))).toEqual([]);
  });

  it.each([
    ['Kueue is not there', { lacksKueue: true as const }, 'Kueue is not installed'],
    [
      'its priority class is not there',
      { priority: { kind: 'missing', className: 'gold' } as const },
      'there is no WorkloadPriorityClass "gold"',
    ],
    ['a JobTemplate is not there', { needed: { t: null } }, 'there is no JobTemplate "t"'],
  ])('waits and says so where %s', (_, more, message) => {
    const flows = 'needed' in more ? [{ name: 'a', jobTemplateRef: 't' }] : [stepNamed('a')];
    const result = decision(snapshotOf(queuedFlow({ spec: { flows } }), more));
    expect(result.reasons[0]?.message).toContain(message);
    expect(JSON.stringify(patchesIn(result.plan.flat()))).toContain('millrace.dev/queued');
  });

  it.each([
    ['Deactivated', ''],
    ['DeactivatedDueToMaximumExecutionTimeExceeded', ': Evicted because'],
  ])('says that its Workload is not active, and why Kueue made it so: %s', (reason, why) => {
    const job = queuedFlow();
    const workload = workloadOf(job, { QuotaReserved: '!Pending', Evicted: reason });
    const inactive = { ...workload, spec: { ...(workload.spec as object), active: false } };
    const { message } = decision(snapshotOf(job, { workloads: [inactive] })).reasons[0]!;
    expect(message).toBe(`its Workload is not active (spec.active is false)${why}`);
  });

  it.each([
    ['DeactivatedDueToMaximumExecutionTimeExceeded', 86_400_000, 'told until 86400000'],
    ['DeactivatedDueToMaximumExecutionTimeExceeded', 0, 'delete JobFlow, Event Deleted'],
    ['DeactivatedDueToMaximumExecutionTimeExceeded', undefined, 'told'],
    ['Deactivated', 0, 'told'],
  ])('deactivated for %s and kept for %s ms: %s', (reason, keepsDeactivatedMs, expected) => {
    const job = queuedFlow();
    const workload = workloadOf(job, { QuotaReserved: '!Pending', Evicted: reason });
    const { lastTransitionTime } = conditionOf(asWorkload(workload), 'Evicted')!;
    const inactive = { ...workload, spec: { ...(workload.spec as object), active: false } };
    const kept = keepsDeactivatedMs === undefined ? {} : { keepsDeactivatedMs };
    const result = decision(snapshotOf(job, { workloads: [inactive], ...kept }));
    const [note, ...others] = words(result.plan.flat());
    const until = result.requeueAtMs;
    const again = until === undefined ? '' : ` until ${until - Date.parse(lastTransitionTime)}`;
    expect(note === 'patch JobFlow' ? `told${again}` : [note, ...others].join(', ')).toBe(expected);
  });

  it('groups the steps of one template where there are more than 18', () => {
    const flows = Array.from({ length: 20 }, (_, index) => stepNamed(`s${index}`));
    const [create] = decided(snapshotOf(queuedFlow({ spec: { flows } })));
    expect(create?.kind === 'create' && create.object.spec).toMatchObject({
      podSets: [{ name: 's0', count: 20 }],
    });
  });

  it('makes no Workload of more than 18 different templates, and says what to do', () => {
    const flows = Array.from({ length: 19 }, (_, index) => ({
      name: `s${index}`,
      jobTemplate: { template: { spec: { containers: [{ name: 'main', image: `i${index}` }] } } },
    }));
    const operations = decided(snapshotOf(queuedFlow({ spec: { flows } })));
    expect(words(operations)).toEqual(['Event ErrWorkloadCompose', 'patch JobFlow']);
    expect(JSON.stringify(operations)).toContain('label the steps instead');
  });

  it('follows its label into another queue while no quota is reserved (step 18)', () => {
    const job = queuedFlow();
    const moved = queuedFlow({ metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'other' } } });
    const operations = decided(snapshotOf(moved, { workloads: [workloadOf(job)] }));
    expect(patchesIn(operations)).toEqual([{ spec: { queueName: 'other' } }]);
  });

  it('has its Workload written anew when it was changed before it was admitted (3.3)', () => {
    const workloads = [workloadOf(queuedFlow())];
    const changed = queuedFlow({ spec: { flows: [stepNamed('a')] } });
    const operations = decided(snapshotOf(changed, { workloads }));
    expect(words(operations)).toEqual(['patch Workload', 'Event UpdatedWorkload']);
    expect(patchesIn(operations)[0]).toMatchObject({ spec: { podSets: [{ name: 'a' }] } });
  });

  it('has its Workload written anew when other containers take its place (3.3)', () => {
    const workloads = [workloadOf(queuedFlow())];
    const template = { spec: { containers: [{ name: 'main', image: 'other' }] } };
    const changed = queuedFlow({
      spec: { flows: [{ name: 'a', jobTemplate: { template } }, stepNamed('b')] },
    });
    const operations = decided(snapshotOf(changed, { workloads }));
    expect(words(operations)).toEqual(['patch Workload', 'Event UpdatedWorkload']);
    expect(patchesIn(operations)[0]).toMatchObject({ spec: { podSets: [{ template }, {}] } });
  });

  it('keeps the Workload that says what it says, and has the others deleted', () => {
    const job = queuedFlow();
    const other = workloadOf(queuedFlow({ spec: { flows: [stepNamed('a')] } }));
    const workloads = [workloadOf(job), other];
    const operations = decided(snapshotOf(job, { workloads }));
    expect(words(operations)).toEqual([
      'Event DeletedWorkload',
      'patch Workload',
      'delete Workload',
    ]);
  });
});

describe('what of a Workload follows its flow at any time', () => {
  const ref = (name: string, kind = 'WorkloadPriorityClass') => ({
    group: 'kueue.x-k8s.io',
    ...{ kind, name },
  });
  const labelled = (name?: string) =>
    queuedFlow({
      metadata: {
        labels: {
          'kueue.x-k8s.io/queue-name': 'main',
          ...(name === undefined ? {} : { 'kueue.x-k8s.io/priority-class': name }),
        },
      },
      spec: running,
    });
  const high = { kind: 'known', value: 9, classRef: ref('high') } as const;
  const having = (job: KubeObject, priorityClassRef?: object, conditions = {}): KubeObject => {
    const made = workloadOf(job, conditions, { admission });
    const own = priorityClassRef === undefined ? {} : { priorityClassRef };
    return { ...made, spec: { ...(made.spec as object), ...own } };
  };

  it('is its priority class, also while it runs', () => {
    const workloads = [having(queuedFlow(), ref('low'), admitted)];
    const operations = decided(snapshotOf(labelled('high'), { workloads, priority: high }));
    expect(words(operations)).toEqual(['patch Workload', 'Event UpdatedWorkload']);
    expect(patchesIn(operations)).toEqual([
      { spec: { priority: 9, priorityClassRef: ref('high') } },
    ]);
  });

  it.each([
    ['the class is the same', labelled('high'), ref('high')],
    ['the class is one of Pods', labelled('high'), ref('p', 'PriorityClass')],
    ['quota was reserved without one', labelled('high'), undefined],
  ])('stays where %s', (_, job, known) => {
    const workloads = [having(queuedFlow(), known, admitted)];
    expect(decided(snapshotOf(job, { workloads, priority: high }))).toEqual([]);
  });

  it('stays where there is no class of the name, and an Event says so', () => {
    const workloads = [having(queuedFlow(), ref('low'), admitted)];
    const priority = { kind: 'missing', className: 'gone' } as const;
    const operations = decided(snapshotOf(labelled('gone'), { workloads, priority }));
    expect(operations).toMatchObject([
      {
        kind: 'emitEvent',
        ...{ type: 'Warning', reason: 'WorkloadPriorityClassNotFound' },
        note: 'there is no WorkloadPriorityClass "gone"',
      },
    ]);
  });

  it('are the gates of its admission, which are there from the beginning', () => {
    const gates = 'kueue.x-k8s.io/admission-gated-by';
    const gated = (text?: string) =>
      queuedFlow({
        metadata: {
          labels: { 'kueue.x-k8s.io/queue-name': 'main' },
          ...(text === undefined ? {} : { annotations: { [gates]: text } }),
        },
      });
    const [create] = decided(snapshotOf(gated('a.io/b')));
    expect(create?.kind === 'create' && create.object.metadata.annotations).toEqual({
      [gates]: 'a.io/b',
    });
    const workloads = [workloadOf(gated('a.io/b'))];
    const opened = decided(snapshotOf(gated(), { workloads }));
    expect(words(opened)).toEqual(['patch Workload', 'Event UpdatedWorkload']);
    expect(patchesIn(opened)).toEqual([{ metadata: { annotations: { [gates]: null } } }]);
  });
});

describe('what a step asks of the topology', () => {
  const named = (annotations: Readonly<Record<string, string>>) =>
    queuedFlow({
      spec: {
        flows: [
          {
            name: 'a',
            jobTemplate: {
              template: {
                metadata: { annotations },
                spec: { containers: [{ name: 'main', image: 'x' }] },
              },
            },
          },
        ],
      },
    });
  const key = (name: string) => `kueue.x-k8s.io/podset-${name}`;
  const requestsIn = (snapshot: QueueSnapshot): readonly (object | undefined)[] => {
    const [create] = decided(snapshot);
    const { podSets } = (create?.kind === 'create' ? create.object.spec : {}) as {
      readonly podSets: readonly { readonly topologyRequest?: object }[];
    };
    return podSets.map((podSet) => podSet.topologyRequest);
  };

  it.each([
    ['a level that is required', { [key('required-topology')]: 'rack' }, { required: 'rack' }],
    [
      'a level that is preferred, with others of its group',
      { [key('preferred-topology')]: 'rack', [key('group-name')]: 'g' },
      { preferred: 'rack', podSetGroupName: 'g' },
    ],
    ['any place', { [key('unconstrained-topology')]: 'true' }, { unconstrained: true }],
    [
      'slices of some Pods',
      { [key('slice-required-topology')]: 'rack', [key('slice-size')]: '2' },
      { podSetSliceRequiredTopology: 'rack', podSetSliceSize: 2 },
    ],
    ['nothing', {}, undefined],
    [
      'slices without a size, which say nothing',
      { [key('slice-required-topology')]: 'r' },
      undefined,
    ],
  ])('is in its podSet: %s', (_, annotations, topologyRequest) => {
    expect(requestsIn(snapshotOf(named(annotations)))[0]).toEqual(topologyRequest);
  });

  const rankedWrapper = () => {
    const annotations = { [key('required-topology')]: 'rack' };
    const template = { metadata: { annotations }, spec: { containers: [] } };
    const { metadata } = queuedFlow();
    return {
      apiVersion: 'workload.codeflare.dev/v1beta2',
      kind: 'AppWrapper',
      metadata,
      spec: {
        suspend: true,
        components: [{ template: { apiVersion: 'batch/v1', kind: 'Job', spec: { template } } }],
      },
    };
  };

  it.each([
    [
      'is united with what the kind knows of the ranks of its Pods',
      {},
      { required: 'rack', podIndexLabel: 'batch.kubernetes.io/job-completion-index' },
    ],
    ['is left out where Kueue places nothing by topology', { ignoresTopology: true }, undefined],
  ] as const)('%s', (_, more, topologyRequest) => {
    expect(requestsIn(snapshotOf(rankedWrapper(), more))).toEqual([topologyRequest]);
  });

  it.each([
    [
      'where Kueue has a topology and it asks for nothing',
      {},
      { [key('unconstrained-topology')]: 'true' },
    ],
    [
      'where it asks only for slices',
      { [key('slice-required-topology')]: 'rack', [key('slice-size')]: '1' },
      { [key('unconstrained-topology')]: 'true' },
    ],
    ['where it asks for something', { [key('required-topology')]: 'rack' }, {}],
  ])('keeps its Pods gated until Kueue has placed them, %s', (_, asked, more) => {
    const job = named(asked);
    const podSetAssignments = [{ name: 'a', count: 1, topologyAssignment: { levels: ['rack'] } }];
    const placed = { admission: { clusterQueue: 'team', podSetAssignments } };
    const [patch] = decided(
      snapshotOf(job, { workloads: [workloadOf(job, admitted, placed)], flavors: {} }),
    );
    expect(patchesIn(patch === undefined ? [] : [patch])).toMatchObject([
      {
        spec: {
          podSetInfos: [
            {
              annotations: { 'kueue.x-k8s.io/workload': 'jobflow-etl-12345', ...more },
              schedulingGates: [{ name: 'kueue.x-k8s.io/topology' }],
            },
          ],
        },
      },
    ]);
  });
});

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

  it('tells once that its Pods are ready, and gives back what has succeeded (steps 15 and 16)', () => {
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
  ])('tells what its Pods do: %s', (_, spec, state, conditions, told) => {
    const jobStatusList = [{ name: 'a', state }];
    const flow = queuedFlow({ spec, status: { ...stopped, state: 'Running', jobStatusList } });
    const own = [workloadOf(job, conditions, { admission })];
    const all = conditionsIn(decided(snapshotOf(flow, { workloads: own })));
    expect(all.filter((each) => each.startsWith('PodsReady'))).toEqual(told);
  });

  const reports = (lastUpdateTime: string, at: string, of = workloads) => {
    const jobStatusList = [{ name: 'a', state: 'Running' }];
    const runs = queuedFlow({
      spec: running,
      status: { state: 'Running', jobStatusList, lastUpdateTime },
    });
    return decision(snapshotOf(runs, { workloads: of }), `2026-11-27T${at}Z`);
  };

  it('tells nothing in the first ten seconds, since a brief flow is over by then', () => {
    const early = reports('2026-11-27T09:59:01Z', '09:59:09.999');
    expect(early.plan).toEqual([]);
    expect(early.requeueAtMs).toBe(Date.parse('2026-11-27T09:59:10Z'));
    for (const at of ['09:59:10', '09:59:19', '09:58:00']) {
      const due = reports('2026-11-27T09:59:01Z', at);
      expect(words(due.plan.flat())).toEqual(['patchStatus Workload']);
    }
  });

  it('tells its news every ten seconds at most', () => {
    const early = reports('2026-11-27T09:59:10.001Z', '09:59:19.999');
    expect(early.plan).toEqual([]);
    expect(early.requeueAtMs).toBe(Date.parse('2026-11-27T09:59:20Z'));
    const due = reports('2026-11-27T09:59:10.001Z', '09:59:20');
    expect(words(due.plan.flat())).toEqual(['patchStatus Workload']);
  });

  it('tells at once that its Pods are ready where Kueue waits for that (waitForPodsReady)', () => {
    const status = {
      ...{ state: 'Running', lastUpdateTime: '2026-11-27T09:59:01Z' },
      jobStatusList: [
        { name: 'a', state: 'Succeed' },
        { name: 'b', state: 'Running' },
      ],
    };
    const runs = queuedFlow({ spec: running, status });
    const told = (of: readonly KubeObject[]) => {
      const snapshot = snapshotOf(runs, { workloads: of, awaitsReadiness: true });
      return decision(snapshot, '2026-11-27T09:59:02Z');
    };
    expect(conditionsIn(told(workloads).plan.flat())).toContain('PodsReady=True Started');
    const ready = [workloadOf(job, { ...admitted, PodsReady: 'Started' }, { admission })];
    expect(told(ready).plan).toEqual([]);
    expect(told(ready).requeueAtMs).toBe(Date.parse('2026-11-27T09:59:10Z'));
  });

  it('is stopped by an eviction before it tells anything', () => {
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
    expect(starts(seen('9'))).toEqual([]);
    expect(starts(seen('10'))).toEqual(['patch JobFlow', 'Event Started']);
    expect(starts(seen('8', 'another'))).toEqual(['patch JobFlow', 'Event Started']);
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
});

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

  it('is finished first where nobody deletes it', () => {
    const workloads = [workloadOf(job, admitted, { admission })];
    const operations = decided(snapshotOf(undefined, { workloads }));
    expect(conditionsIn(operations)).toContain('Finished=True OwnerNotFound');
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

it('takes a Workload that Kueue and the API server wrote their own way for the same', () => {
  const job = queuedFlow();
  const workload = workloadOf(job, { QuotaReserved: '!Pending' });
  const text = JSON.stringify(workload).replaceAll('"cpu":"1"', '"cpu":"1000m"');
  const written = JSON.parse(
    text.replaceAll('"image"', '"terminationMessagePath":"/x","image"'),
  ) as typeof workload;
  expect(words(decided(snapshotOf(job, { workloads: [written] })))).toEqual(['patch JobFlow']);
});

describe('a Job that an earlier admission has placed', () => {
  const own = { nodeSelector: { zone: 'a' } };
  const suspendedJob = {
    name: 'etl-a',
    uid: asUid('j'),
    resourceVersion: asResourceVersion('3'),
    podSet: 'a',
    nodeSelector: { zone: 'a', pool: 'gold' },
    own,
  };
  const job = queuedFlow({ status: stopped });
  const workloads = [workloadOf(queuedFlow(), admitted, { admission })];

  it('is placed anew before the flow is resumed', () => {
    const snapshot = snapshotOf(job, { workloads, flavors: spot, suspendedJobs: [suspendedJob] });
    const operations = decided(snapshot);
    expect(words(operations)).toEqual(['patch Job', 'patch JobFlow', 'Event Started']);
    expect(patchesIn(operations)[0]).toEqual({
      spec: {
        template: {
          spec: { nodeSelector: { zone: 'a', pool: 'spot' }, tolerations: [{ key: 'spot' }] },
        },
      },
    });
  });

  it('keeps its place where it is the same', () => {
    const same = {
      ...suspendedJob,
      nodeSelector: { zone: 'a', pool: 'spot' },
      tolerations: [{ key: 'spot' }],
    };
    const snapshot = snapshotOf(job, { workloads, flavors: spot, suspendedJobs: [same] });
    expect(words(decided(snapshot))).toEqual(['patch JobFlow', 'Event Started']);
  });

  it('holds the flow back, and says so, where the API server refuses', () => {
    const rejections = [{ name: 'etl-a', code: 'Invalid' as const, message: 'field is immutable' }];
    const result = decision(snapshotOf(job, { workloads, flavors: spot, rejections }));
    expect(words(result.plan.flat())).toEqual(['Event Invalid', 'patch JobFlow']);
    expect(result.reasons[0]?.message).toContain('field is immutable');
  });
});

it('a flow that is to be stopped says so by an Event where the API server refuses', () => {
  const runs = queuedFlow({ spec: running });
  const workloads = [workloadOf(queuedFlow(), { Evicted: 'Preempted' })];
  expect(words(decided(snapshotOf(runs, { workloads })))).toContain('patch JobFlow');
  const refused = { name: 'etl', uid: runs.metadata.uid, code: 'Refused', message: 'no' } as const;
  const result = decision(snapshotOf(runs, { workloads, rejections: [refused] }));
  expect(words(result.plan.flat())).toEqual(['Event Refused']);
  expect(result.requeueAtMs).toBe(nowMs + 30_000);
});

describe('a flow whose owner waits in a queue', () => {
  const ancestor = { kind: 'managed', owner: 'JobSet outer', isAdmitted: false } as const;

  it('is suspended while its owner is not admitted, and has no Workload of its own (steps 4 and 6)', () => {
    const runs = queuedFlow({ spec: running });
    const operations = decided(snapshotOf(runs, { ancestor }));
    expect(words(operations)).toEqual(['Event Suspended', 'patch JobFlow']);
    expect(patchesIn(operations)).toEqual([{ spec: { suspend: true, podSetInfos: null } }]);
  });

  it('is left alone where its owner is admitted, or where nothing of it is to be stopped', () => {
    const runs = queuedFlow({ spec: running });
    const isAdmitted = { ...ancestor, isAdmitted: true };
    expect(decided(snapshotOf(runs, { ancestor: isAdmitted }))).toEqual([]);
    expect(decided(snapshotOf(queuedFlow(), { ancestor: omit(ancestor, 'isAdmitted') }))).toEqual(
      [],
    );
  });

  it('waits and says so where its owners are more than Kueue follows, or a circle', () => {
    const endless = { ancestor: { kind: 'endless' } } as const;
    const operations = decided(snapshotOf(queuedFlow(), endless));
    expect(words(operations)).toEqual(['Event JobNestingTooDeep', 'patch JobFlow']);
    expect(JSON.stringify(patchesIn(operations))).toContain('metadata.ownerReferences');
    expect(decided(snapshotOf(queuedFlow({ metadata: { labels: {} } }), endless))).toEqual([]);
  });
});

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

  it('is not suspended when it has failed there: nobody tries it again here', () => {
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
