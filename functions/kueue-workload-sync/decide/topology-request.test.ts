import { describe, expect, it } from 'vitest';
import type { QueueSnapshot } from '../snapshot.ts';
import {
  admitted,
  decided,
  patchesIn,
  queuedFlow,
  snapshotOf,
  workloadOf,
} from '../testing/queued.ts';

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
