import { describe, expect, it } from 'vitest';
import { storedLedger } from '#shared/api/node-ledger.ts';
import { daemonJob, type ObjectFields } from '#shared/domain/testing/objects.ts';
import {
  admitted,
  decided,
  decision,
  patchesIn,
  snapshotOf,
  words,
  workloadOf,
} from '../testing/queued.ts';

const counted = { state: 'Suspended', observedGeneration: 1, desired: 3 };

/** Suspended, in the queue `main`; its status has counted three nodes. */
function queuedDaemonJob({ metadata, spec, ...fields }: ObjectFields = {}) {
  return daemonJob({
    name: 'scan',
    status: counted,
    ...fields,
    metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'main' }, ...metadata },
    spec: {
      suspend: true,
      template: { spec: { containers: [{ name: 'main', image: 'busybox' }] } },
      ...spec,
    },
  });
}

const admission = {
  clusterQueue: 'team',
  podSetAssignments: [{ name: 'nodes', count: 3, flavors: {} }],
};

describe('a DaemonJob that waits in a queue', () => {
  it('gets a Workload with a Pod for each node that its status has counted', () => {
    const [create] = decided(snapshotOf(queuedDaemonJob()));
    expect(create?.kind === 'create' && create.object.spec).toMatchObject({
      queueName: 'main',
      podSets: [{ name: 'nodes', count: 3 }],
    });
  });

  it.each([
    ['has counted nothing', {}],
    ['has counted for an earlier spec', { ...counted, observedGeneration: 0 }],
  ])('waits in silence while its status %s', (_, status) => {
    expect(decided(snapshotOf(queuedDaemonJob({ status })))).toEqual([]);
  });

  it('says that no node can run it, and has a Workload all the same where it may be empty', () => {
    const status = { ...counted, desired: 0 };
    const result = decision(snapshotOf(queuedDaemonJob({ status })));
    expect(result.reasons[0]?.message).toBe('no node can run it');
    const empty = queuedDaemonJob({ status, spec: { allowEmpty: true } });
    expect(words(decided(snapshotOf(empty)))[0]).toBe('create Workload');
  });

  it('has no Workload where it never ends, and says what to do', () => {
    const operations = decided(
      snapshotOf(queuedDaemonJob({ spec: { completionPolicy: 'Never' } })),
    );
    expect(words(operations)).toEqual(['Event ErrWorkloadCompose', 'patch DaemonJob']);
    expect(JSON.stringify(operations)).toContain('set Always, or take the label away');
  });

  it('has its Workload written anew when other nodes come before it is admitted', () => {
    const workloads = [workloadOf(queuedDaemonJob())];
    const more = queuedDaemonJob({ status: { ...counted, desired: 4 } });
    const operations = decided(snapshotOf(more, { workloads }));
    expect(patchesIn(operations)[0]).toMatchObject({ spec: { podSets: [{ count: 4 }] } });
  });
});

describe('a DaemonJob that is admitted', () => {
  it('runs on the admitted number of nodes, also where more have come since', () => {
    const workloads = [workloadOf(queuedDaemonJob(), admitted, { admission })];
    const more = queuedDaemonJob({ status: { ...counted, desired: 4 } });
    const operations = decided(snapshotOf(more, { workloads }));
    expect(words(operations)).toEqual(['patch DaemonJob', 'Event Started']);
    expect(patchesIn(operations)[0]).toMatchObject({
      spec: { suspend: false, podSetInfos: [{ name: 'nodes', count: 3 }] },
    });
  });

  const succeeded = { state: 'Succeeded', attempt: 0 } as const;
  const podSetInfos = [{ name: 'nodes', count: 3 }];
  const running = { state: 'Running', observedGeneration: 1, startTime: '2026-11-27T09:00:00Z' };

  it('gives back the quota of each node on which it succeeded, and is ready as soon as one runs', () => {
    const status = { ...running, desired: 3, active: 1, succeeded: 2 };
    const job = queuedDaemonJob({ spec: { suspend: false, podSetInfos }, status });
    const workloads = [workloadOf(queuedDaemonJob(), admitted, { admission })];
    const [written] = decided(snapshotOf(job, { workloads }));
    expect(written?.kind === 'patchStatus' && written.status['reclaimablePods']).toEqual([
      { name: 'nodes', count: 2 },
    ]);
    expect(JSON.stringify(written)).toContain('"PodsReady"');
  });

  it('gives back the quota of a node that succeeded and was removed, and asks for it as before', () => {
    const ledger = storedLedger(new Map(['one', 'two'].map((key) => [key.padEnd(8), succeeded])));
    const status = { ...running, desired: 2, active: 1, succeeded: 1, ledger };
    const job = queuedDaemonJob({ spec: { suspend: false, podSetInfos }, status });
    const workloads = [workloadOf(queuedDaemonJob(), admitted, { admission })];
    const [written] = decided(snapshotOf(job, { workloads }));
    expect(written?.kind === 'patchStatus' && written.status['reclaimablePods']).toEqual([
      { name: 'nodes', count: 2 },
    ]);
    const waiting = queuedDaemonJob({ status: { ...counted, desired: 2, succeeded: 1, ledger } });
    const [create] = decided(snapshotOf(waiting));
    expect(create?.kind === 'create' && create.object.spec).toMatchObject({
      podSets: [{ count: 3 }],
    });
  });

  it('holds its quota until its Jobs have stopped, and then gives it back', () => {
    const evicted = workloadOf(
      queuedDaemonJob(),
      { ...admitted, Evicted: 'Preempted' },
      { admission },
    );
    const stops = queuedDaemonJob({ status: { ...running, desired: 4, active: 2 } });
    const first = decision(snapshotOf(stops, { workloads: [evicted] }));
    expect(first.plan).toEqual([]);
    expect(first.reasons[0]?.message).toContain('its Pods are ending');
    const conditions = [{ type: 'Suspended', status: 'True', reason: 'x', message: 'x' }];
    const stopped = queuedDaemonJob({ status: { ...running, desired: 4, active: 2, conditions } });
    expect(words(decided(snapshotOf(stopped, { workloads: [evicted] })))).toEqual([
      'patch DaemonJob',
      'patchStatus Workload',
    ]);
  });
});
