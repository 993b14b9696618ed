/** What waits for quota in a queue of the real Kueue, and what policies do to it, on a node with containers. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { crowdGoes, describePoliciesOfQueues } from '#test/support/kueue/policies-of-queues.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { installKueue, removeKueue } from './cluster/kueue.ts';
import { flowOf } from './manifests.ts';
import { applyOverlay } from './overlays.ts';
import { describeOnRealCluster } from './require.ts';

const apiVersion = 'kueue.x-k8s.io/v1beta2';
/** Room for one Pod of those that the flow has. */
const queues = [
  { apiVersion, kind: 'ResourceFlavor', metadata: { name: 'default' } },
  {
    apiVersion,
    kind: 'ClusterQueue',
    metadata: { name: 'small' },
    spec: {
      namespaceSelector: {},
      resourceGroups: [
        {
          coveredResources: ['pods'],
          flavors: [{ name: 'default', resources: [{ name: 'pods', nominalQuota: 1 }] }],
        },
      ],
    },
  },
  {
    apiVersion,
    kind: 'LocalQueue',
    metadata: { name: 'main', namespace: 'default' },
    spec: { clusterQueue: 'small' },
  },
];

interface Job {
  readonly metadata: { readonly name: string };
  readonly status: { readonly startTime: string; readonly completionTime: string };
}

describeOnRealCluster('the kueue overlay on a real node', (cluster) => {
  const { ask } = cluster;
  const apply = (text: string) => ask(['apply', '--server-side', '-f', '-'], text);
  beforeAll(async () => {
    await installKueue(cluster, reportProgress);
    await apply(queues.map((each) => JSON.stringify(each)).join('\n'));
    await applyOverlay(cluster, 'kueue');
  });
  afterAll(async () => {
    // While Kueue is there, to take its finalizers off.
    await ask(['delete', 'suspendpolicies,jobflows,jobs', '--all', crowdGoes]);
    await ask(['delete', 'workloads', '--all', crowdGoes]);
    await ask(['delete', 'localqueue/main', 'clusterqueue/small', kubectlPatience]);
    await ask(['delete', 'resourceflavor/default', kubectlPatience]);
    await removeKueue(cluster);
  });

  it('runs the steps of a flow one after another where the quota has room for one', async () => {
    const steps = ['a', 'b', 'c'].map((name) => ({ name, run: 'sleep 2' }));
    const last = { name: 'last', dependencies: ['a', 'b', 'c'], run: 'echo admitted' };
    const globalParams = { labels: { 'kueue.x-k8s.io/queue-name': 'main' } };
    await apply(flowOf('queued', [...steps, last], { globalParams }));
    await ask(['wait', '--for=condition=Complete', kubectlPatience, 'jobflow/queued']);
    expect(await ask(['logs', 'job/queued-last'])).toBe('admitted\n');
    const read = await ask(['get', 'jobs', '-o', 'json']);
    const jobs = (JSON.parse(read) as { readonly items: readonly Job[] }).items;
    const ran = jobs
      .filter(({ metadata }) => metadata.name.startsWith('queued-'))
      .map(({ status }) => ({ from: status.startTime, to: status.completionTime }))
      .toSorted((left, right) => (left.from < right.from ? -1 : 1));
    expect(ran).toHaveLength(4);
    for (const [index, { from }] of ran.entries()) {
      const before = ran[index - 1];
      if (before !== undefined) expect(from >= before.to, JSON.stringify(ran)).toBe(true);
    }
  });

  it('has the quota given by Kueue and by nobody else', async () => {
    const columns = 'custom-columns=QUEUE:.spec.queueName,OWNER:.metadata.ownerReferences[0].kind';
    const lines = (await ask(['get', 'workloads', '--no-headers', '-o', columns])).trim();
    expect(lines.split('\n').map((line) => line.split(/\s+/))).toEqual(
      Array.from({ length: 4 }, () => ['main', 'Job']),
    );
    const finished = ['wait', '--for=condition=Finished', kubectlPatience, 'workloads', '--all'];
    await ask(finished);
  });

  describePoliciesOfQueues(() => Promise.resolve({ ask, namespace: 'default' }));
});
