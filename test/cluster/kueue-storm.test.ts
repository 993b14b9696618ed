/**
 * Queued flows and DaemonJobs, while one part after the other is taken away, quota is cut, queues are closed and
 * Workloads are deleted. Each part is a process of its own, so that a kill leaves only what was written.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { holds, asWorkload } from '#functions/kueue-workload-sync/workload.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { DaemonBatch } from '#test/support/chaos/daemon-batch.ts';
import { diamond, FlowBatch } from '#test/support/chaos/flow-batch.ts';
import {
  killOf,
  type PartFault,
  type Parts,
  redisFlushed,
  strike,
} from '#test/support/chaos/part-faults.ts';
import { kueueKilled, startQueuedProduct } from '#test/support/chaos/queued-product.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import { TestNodes } from '#test/support/daemons/test-nodes.ts';
import type { PodObject } from '#test/support/flows/batch-objects.ts';
import type { ClusterApi } from '#test/support/flows/cluster-api.ts';
import { ObjectHistory } from '#test/support/flows/object-history.ts';
import { container, queued } from '#test/support/kueue/queued.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';
import { quotaFaults, type QuotaHistories } from '#test/support/kueue/quota-witness.ts';
import type { Kueue } from '#test/support/kueue/start.ts';
import { describeWithCluster } from '#test/support/require.ts';

const flowCount = 50;
const patienceMs = 120_000;
const namespace = 'storm';
/** The namespace of the DaemonJobs, and the pool of their nodes. */
const pool = 'storm-of-nodes';
const namespaces = [namespace, pool];
const [daemonCount, nodeNames] = [3, ['a', 'b', 'c', 'd']] as const;
/** Five Pods each, so that four flows fit at once. A DaemonJob has four Pods. */
const [wide, narrow] = ['20', '6'];
const oneCpu = { pod: { containers: [container('1')] } };

describeWithCluster(`${flowCount} queued flows and ${daemonCount} DaemonJobs`, () => {
  const stack = new AsyncDisposableStack();
  let parts: Parts;
  let api: ClusterApi;
  let kueue: Kueue;
  let histories: QuotaHistories;

  beforeAll(async () => {
    ({ parts, api, kueue } = await startQueuedProduct(stack));
    histories = {
      workloads: await ObjectHistory.open<KubeObject>(api, 'Workload'),
      pods: await ObjectHistory.open<PodObject>(api, 'Pod'),
    };
    stack.defer(() => histories.workloads.close());
    stack.defer(() => histories.pods.close());
  });
  afterAll(() => stack.disposeAsync());

  const kubectl = (args: readonly string[], input?: string): Promise<string> =>
    kubectlOrThrow(parts.cluster.kubectl, args, input === undefined ? {} : { input });
  const apply = (...items: readonly object[]) =>
    kubectl(
      ['apply', '--server-side', '--force-conflicts', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );
  const applyQueues = (stopPolicy: string) =>
    apply(
      ...namespaces.map((each) => ({
        ...localQueue('main', 'team'),
        metadata: { name: 'main', namespace: each },
        spec: { clusterQueue: 'team', stopPolicy },
      })),
    );
  const inEach = async (...args: readonly string[]): Promise<void> => {
    for (const each of namespaces) await kubectl([...args, '-n', each]);
  };

  const faults: readonly PartFault[] = [
    {
      name: 'a user who deletes every Workload',
      take: () => inEach('delete', 'workloads', '--all', '--wait=false'),
    },
    ...['bridge', 'dispatcher', 'flow-advance', 'daemon-fanout', 'kueue-workload-sync'].map(killOf),
    redisFlushed,
    kueueKilled(() => kueue),
    {
      name: 'a queue that is emptied and opened again',
      take: () => applyQueues('HoldAndDrain').then(() => undefined),
      bringBack: () => applyQueues('None').then(() => undefined),
    },
    {
      name: 'a cut of the quota',
      take: () => apply(clusterQueue('team', { default: narrow })).then(() => undefined),
      bringBack: () => apply(clusterQueue('team', { default: wide })).then(() => undefined),
    },
  ];

  it(
    'run only with the quota that Kueue has reserved for them, no step twice, whatever is taken away meanwhile',
    { timeout: 3 * patienceMs },
    async () => {
      await apply(resourceFlavor('default'), clusterQueue('team', { default: wide }));
      const flows = await FlowBatch.apply(api, namespace, flowCount, (name, index) =>
        queued(diamond(name, index, oneCpu)),
      );
      const nodes = new TestNodes(api, pool);
      const daemons = await DaemonBatch.apply(
        api,
        nodes,
        await nodes.add(nodeNames),
        daemonCount,
        (name) => queued(daemonJob(name, pool, { ...oneCpu, parallelism: 1, runFor: '5s' })),
      );
      // A node that becomes ready after the admission is left out.
      await vi.waitFor(async () => expect(await daemons.areCounted()).toBe(true), patienceMs);
      await applyQueues('None');
      for (const [index, fault] of faults.entries()) {
        const done = await flows.untilDone((index + 1) / (faults.length + 3), patienceMs);
        expect(done, `the share that was done before ${fault.name}`).toBeLessThan(1);
        await strike(fault, parts);
      }
      await flows.untilAllEnded(patienceMs);
      await daemons.untilDone(1, patienceMs);
      expect(await flows.faults(parts.cluster.auditLog, true)).toEqual([]);
      await vi.waitFor(async () =>
        expect(await daemons.faults(parts.cluster.auditLog)).toEqual([]),
      );
      expect(namespaces.flatMap((each) => quotaFaults(each, histories))).toEqual([]);
      expect(parts.product.ended()).toEqual([]);
    },
  );

  it('leave Workloads that are finished and let go, and none when they are deleted', async () => {
    const workloads = async () => {
      const lists = await Promise.all(namespaces.map((each) => api.list('Workload', each)));
      return lists.flatMap(({ items }) => items).map(asWorkload);
    };
    await vi.waitFor(async () => {
      const left = await workloads();
      expect(left).not.toEqual([]);
      expect(left.filter((each) => !holds(each, 'Finished'))).toEqual([]);
      expect(left.flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    });
    await inEach('delete', 'jobflows,daemonjobs', '--all', '--wait=false');
    await vi.waitFor(async () => expect(await workloads()).toEqual([]));
  });
});
