/**
 * Objects that wait for quota in a queue of the real Kueue, and policies on them, on a node with containers. Runs for
 * each way to install Millrace.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { documented } from '#test/support/documented-commands.ts';
import { crowdGoes, describePoliciesOfQueues } from '#test/support/kueue/policies-of-queues.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { installKueue, removeKueue } from './cluster/kueue.ts';
import { flowOf, jobSpec, manifest } from './manifests.ts';
import { readyAfter } from './overlays.ts';
import { describeOnRealCluster, removeMillrace } from './require.ts';

const root = join(import.meta.dirname, '../..');
const apiVersion = 'kueue.x-k8s.io/v1beta2';
/** With room for so many Pods. */
function queueOf(pods: number, clusterQueue: string, localQueue: string): readonly object[] {
  const flavors = [{ name: 'default', resources: [{ name: 'pods', nominalQuota: pods }] }];
  const resourceGroups = [{ coveredResources: ['pods'], flavors }];
  return [
    {
      ...{ apiVersion, kind: 'ClusterQueue', metadata: { name: clusterQueue } },
      spec: { namespaceSelector: {}, resourceGroups },
    },
    {
      ...{ apiVersion, kind: 'LocalQueue', metadata: { name: localQueue, namespace: 'default' } },
      spec: { clusterQueue },
    },
  ];
}
const queues = [
  { apiVersion, kind: 'ResourceFlavor', metadata: { name: 'default' } },
  // For one step of a flow at a time, and for a flow of two steps.
  ...queueOf(1, 'small', 'main'),
  ...queueOf(2, 'whole', 'flows'),
  // For an AppWrapper of three.
  ...queueOf(3, 'for-wrappers', 'wide'),
];

interface Job {
  readonly metadata: { readonly name: string };
  readonly status: { readonly startTime: string; readonly completionTime: string };
}

describeOnRealCluster('Millrace beside Kueue on a real node', (cluster) => {
  const { ask, type } = cluster;
  const apply = (text: string) => ask(['apply', '--server-side', '-f', '-'], text);
  beforeAll(async () => {
    await installKueue(cluster, reportProgress);
    await apply(queues.map((each) => JSON.stringify(each)).join('\n'));
  });
  afterAll(async () => {
    // While Kueue is there, to take its finalizers off.
    await ask(['delete', 'suspendpolicies,appwrappers,jobflows,jobs', '--all', crowdGoes]);
    await ask(['delete', 'workloads', '--all', crowdGoes]);
    await ask(['delete', 'localqueues', '--all', kubectlPatience]);
    await ask(['delete', 'clusterqueues', '--all', kubectlPatience]);
    await ask(['delete', 'resourceflavors', '--all', kubectlPatience]);
    await removeKueue(cluster);
  });

  /** The first flow of the README, in a queue as a whole. */
  const helloInQueue = async (): Promise<void> => {
    const hello = await readFile(join(root, 'deploy/examples/hello.yaml'), 'utf8');
    const labelled = hello.replace(
      'name: hello\n',
      'name: hello\n  labels: { kueue.x-k8s.io/queue-name: flows }\n',
    );
    await apply(labelled);
    await ask(['wait', '--for=condition=Complete', kubectlPatience, 'jobflow/hello']);
    expect(await ask(['logs', 'job/hello-report'])).toBe('reported\n');
    const columns =
      'custom-columns=QUEUE:.spec.queueName,OWNER:.metadata.ownerReferences[0].kind,PODS:.status.admission.podSetAssignments[*].count';
    const finished = ['wait', '--for=condition=Finished', kubectlPatience, 'workloads', '--all'];
    await ask(finished);
    const workloads = await ask(['get', 'workloads', '--no-headers', '-o', columns]);
    expect(workloads.trim().split(/\s+/)).toEqual(['flows', 'JobFlow', '1,1']);
    await ask(['delete', 'jobflow/hello', kubectlPatience]);
    await ask(['delete', 'workloads', '--all', kubectlPatience]);
  };

  it('runs the flow of the README in a queue, installed by the command line', async () => {
    await readyAfter(cluster, 'millrace install --kueue', () =>
      type(documented('npx millrace install --kueue')),
    );
    await helloInQueue();
    expect(await type(documented('npx millrace doctor --cluster'))).not.toMatch(/^FAIL/m);
    await removeMillrace(cluster);
  });

  it('runs the flow of the README in a queue, installed by Helm', async () => {
    await readyAfter(cluster, 'helm install beside Kueue', () =>
      type(
        documented(
          'helm install millrace deploy/chart -n millrace --create-namespace --set kueue.enabled=true',
        ),
      ),
    );
    await helloInQueue();
    await cluster.helm('uninstall', 'millrace', '-n', 'millrace', '--wait');
    await removeMillrace(cluster);
  });

  it('runs the flow of the README in a queue, installed by kustomize', async () => {
    await readyAfter(cluster, 'kustomize kueue', () =>
      type(documented('kubectl apply --server-side -k deploy/overlays/kueue')),
    );
    await helloInQueue();
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

  it('has the quota given by Kueue alone', async () => {
    const columns = 'custom-columns=QUEUE:.spec.queueName,OWNER:.metadata.ownerReferences[0].kind';
    const lines = (await ask(['get', 'workloads', '--no-headers', '-o', columns])).trim();
    expect(lines.split('\n').map((line) => line.split(/\s+/))).toEqual(
      Array.from({ length: 4 }, () => ['main', 'Job']),
    );
    const finished = ['wait', '--for=condition=Finished', kubectlPatience, 'workloads', '--all'];
    await ask(finished);
  });

  it('walks through the sample of AppWrappers: Running, then Succeeded', async () => {
    await type('kubectl apply --server-side -f samples/queues.yaml');
    const path = async (of: string) =>
      ask(['get', 'appwrappers', 'sample', '-o', `jsonpath={.status.${of}}`]);
    await type('kubectl apply -f samples/appwrapper.yaml');
    await ask(['wait', '--for=jsonpath={.status.phase}=Running', kubectlPatience, 'aw/sample']);
    await ask(['wait', '--for=jsonpath={.status.phase}=Running', kubectlPatience, 'pod/sample']);
    await ask(['wait', '--for=jsonpath={.status.phase}=Succeeded', kubectlPatience, 'aw/sample']);
    expect(await path('phase')).toBe('Succeeded');
    expect(await ask(['get', 'pod', 'sample', '--no-headers'])).toMatch(
      /^sample\s+0\/1\s+Completed/,
    );
    await type('kubectl delete -f samples/appwrapper.yaml');
    expect(await ask(['get', 'pod', 'sample', '--ignore-not-found'])).toBe('');
  });

  it('runs what one AppWrapper wraps, gives way to its suspension, and leaves nothing behind', async () => {
    const group = { app: 'group' };
    const metadata = { name: 'group', labels: group };
    const { template } = jobSpec('sleep 10000', {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 0,
    }) as { readonly template: JsonObject };
    const labelled = { ...template, metadata: { labels: group } };
    const selector = { matchLabels: group };
    const wrapped: readonly JsonObject[] = [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { selector: group, ports: [{ port: 80 }] },
      },
      {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
        spec: { replicas: 1, selector, template: labelled },
      },
      {
        ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata },
        spec: { replicas: 1, serviceName: 'group', selector, template: labelled },
      },
      {
        ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'group-job' } },
        spec: jobSpec('sleep 10000', { terminationGracePeriodSeconds: 0 }),
      },
    ];
    await apply(
      manifest('workload.codeflare.dev/v1beta2', 'AppWrapper', 'group', {
        labels: { 'kueue.x-k8s.io/queue-name': 'wide' },
        spec: { components: wrapped.map((each) => ({ template: each })) },
      }),
    );
    await ask(['wait', '--for=condition=PodsReady', kubectlPatience, 'appwrapper/group']);
    await ask(['wait', '--for=condition=Available', kubectlPatience, 'deployment/group']);
    const ofGroup = 'workload.codeflare.dev/appwrapper=group';
    const names = async () =>
      (await ask(['get', 'pods', '-l', ofGroup, '-o', 'name'])).trim().split('\n').filter(Boolean);
    expect(await names()).toHaveLength(3);

    const listed = await ask(['get', 'workloads', '-o', 'name']);
    const [workload = ''] = /\S*appwrapper-group\S*/.exec(listed) ?? [];
    const active = (is: boolean) =>
      ask(['patch', workload, '--type=merge', '-p', JSON.stringify({ spec: { active: is } })]);
    await active(false);
    await ask(['wait', '--for=jsonpath={.status.phase}=Suspended', kubectlPatience, 'aw/group']);
    expect(await names()).toEqual([]);
    await active(true);
    await ask(['wait', '--for=condition=PodsReady', kubectlPatience, 'appwrapper/group']);
    await ask(['delete', 'appwrapper/group', kubectlPatience]);
    const kinds = 'pods,services,deployments,statefulsets,jobs';
    expect(await ask(['get', kinds, '-l', ofGroup, '-o', 'name'])).toBe('');
  });

  describe('where one queue is left', () => {
    const others = ['flows', 'wide', 'user-queue', 'default-queue'];
    beforeAll(() => ask(['delete', 'localqueues', ...others, kubectlPatience]));
    describePoliciesOfQueues(() => Promise.resolve({ ask, namespace: 'default' }));
  });
});
