/**
 * A real MultiKueue runs a JobFlow and an AppWrapper on another cluster. There are two control planes, each with a Kueue
 * and a Millrace.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { asWorkload, conditionOf, holds } from '#functions/kueue-workload-sync/workload.ts';
import type { JobFlow } from '#shared/api/job-flow.ts';
import { multiKueue } from '#shared/api/work/managed-by.ts';
import { startCluster } from '#test/support/cluster-parts.ts';
import { factsOf } from '#test/support/cluster-setup.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';
import { ClusterApi } from '#test/support/flows/cluster-api.ts';
import { kueueNamespace } from '#test/support/kueue/configuration.ts';
import { describeKueue, type KueueSuite } from '#test/support/kueue/kueue-suite.ts';
import { obtainKueue } from '#test/support/kueue/program.ts';
import { container, queued } from '#test/support/kueue/queued.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';
import { startKueue } from '#test/support/kueue/start.ts';
import { startMillraceForTests } from '#test/support/millrace.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { startRedis } from '#test/support/redis.ts';
import { appWrapper, statusOf, wrappedJob } from '#test/support/wrappers/wrapper-manifests.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';

const apiVersion = 'kueue.x-k8s.io/v1beta2';
const namespace = 'dispatched';
const oneCpu = { pod: { containers: [container('1')] } };
const worker = 'worker';

/** The other cluster has a queue of the same name. */
async function startWorker(stack: AsyncDisposableStack) {
  const program = await obtainKueue(reportProgress);
  const cluster = await startCluster(() => undefined);
  stack.defer(() => cluster.stop());
  const kueue = await startKueue({ cluster, program });
  stack.defer(() => kueue.stop());
  const redis = await startRedis();
  stack.defer(() => redis.stop());
  const millrace = await startMillraceForTests({ cluster: factsOf(cluster), redisUrl: redis.url });
  stack.defer(() => millrace.stop());
  const { server, caFile, adminToken: token } = cluster;
  const api = new ClusterApi({ server, caFile, token });
  stack.defer(() => api.close());
  return { cluster, api };
}

/** The objects by which MultiKueue reaches the other cluster, and the queue that uses them. */
const dispatching = (kubeconfig: string): readonly object[] => [
  {
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { name: worker, namespace: kueueNamespace },
    stringData: { kubeconfig },
  },
  {
    ...{ apiVersion, kind: 'MultiKueueCluster', metadata: { name: worker } },
    spec: { clusterSource: { kubeConfig: { location: worker, locationType: 'Secret' } } },
  },
  {
    ...{ apiVersion, kind: 'MultiKueueConfig', metadata: { name: 'all' } },
    spec: { clusters: [worker] },
  },
  {
    ...{ apiVersion, kind: 'AdmissionCheck', metadata: { name: 'elsewhere' } },
    spec: {
      controllerName: multiKueue,
      parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'MultiKueueConfig', name: 'all' },
    },
  },
];

// A second control plane and a second Kueue are too much for CI.
describeKueue('what MultiKueue dispatches', dispatched);

function dispatched(suite: KueueSuite): void {
  const stack = new AsyncDisposableStack();
  let there: ClusterApi;

  beforeAll(async () => {
    const started = await startWorker(stack);
    there = started.api;
    const own = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }];
    const queues = [
      resourceFlavor('default'),
      { ...localQueue('main', 'all'), metadata: { name: 'main', namespace } },
    ];
    const remote = [...own, ...queues, clusterQueue('all', { default: '8' })];
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: remote });
    await kubectlOrThrow(started.cluster.kubectl, ['apply', '--server-side', '-f', '-'], { input });
    const checks = { admissionChecks: [{ name: 'elsewhere' }] };
    const dispatches = { admissionChecksStrategy: checks };
    await suite.apply([
      ...dispatching(await readFile(started.cluster.adminKubeconfig, 'utf8')),
      ...own,
      ...queues,
      clusterQueue('all', { default: '8' }, dispatches),
    ]);
  });
  afterAll(() => stack.disposeAsync());

  const submit = (name: string, steps: readonly ReturnType<typeof step>[]) => {
    const { spec, ...manifest } = queued(flow(name, steps));
    return suite.api().create(namespace, { ...manifest, spec: { ...spec, managedBy: multiKueue } });
  };
  const flowAt = async (api: ClusterApi, name: string) =>
    (await api.get('JobFlow', { namespace, name })) as unknown as JobFlow | undefined;
  const workloadHere = async (name: string) => {
    const { items } = await suite.api().list('Workload', namespace);
    return items
      .map(asWorkload)
      .find(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
  };
  const jobsAt = async (api: ClusterApi) => (await api.list('Job', namespace)).items;

  it('a flow runs on the other cluster alone, and its status comes back to its end', async () => {
    await submit('etl', [
      step('a', { ...oneCpu, runFor: '5s' }),
      step('b', { ...oneCpu, after: ['a'] }),
    ]);
    await vi.waitFor(async () => expect(await jobsAt(there)).toHaveLength(1));
    await vi.waitFor(async () =>
      expect((await flowAt(suite.api(), 'etl'))?.status).toMatchObject({
        ...{ state: 'Running', progress: '0/2' },
      }),
    );
    await vi.waitFor(async () => {
      const workload = await workloadHere('etl');
      expect(workload && conditionOf(workload, 'Finished')).toMatchObject({ reason: 'Succeeded' });
      expect(workload?.metadata.finalizers).toBeUndefined();
    });
    const ended = await flowAt(suite.api(), 'etl');
    expect(ended?.status).toMatchObject({ state: 'Succeed', progress: '2/2' });
    expect(await jobsAt(suite.api())).toEqual([]);
    await vi.waitFor(async () => expect(await flowAt(there, 'etl')).toBeUndefined());
  });

  it('an AppWrapper runs on the other cluster alone, and its status comes back', async () => {
    const pod = { ...oneCpu.pod, restartPolicy: 'Never' };
    const job = wrappedJob('job', { pod, runFor: '5s' });
    const { spec, ...manifest } = queued(appWrapper('group', [job]));
    await suite.api().create(namespace, {
      ...manifest,
      spec: { ...(spec as object), managedBy: multiKueue },
    });
    const statusAt = async (api: ClusterApi) =>
      statusOf(await api.get('AppWrapper', { namespace, name: 'group' }));
    await vi.waitFor(async () => {
      const status = await statusAt(suite.api());
      expect(status.phase, JSON.stringify(status)).toBe('Running');
    });
    expect(await jobsAt(there)).toHaveLength(1);
    await vi.waitFor(async () => {
      const workload = await workloadHere('group');
      expect(workload && conditionOf(workload, 'Finished')).toMatchObject({ reason: 'Succeeded' });
    });
    expect((await statusAt(suite.api())).phase).toBe('Succeeded');
    expect(await jobsAt(suite.api())).toEqual([]);
    await vi.waitFor(async () => expect(await jobsAt(there)).toEqual([]));
  });

  it('a flow stops there when it is deactivated here, and gives both quotas back', async () => {
    await submit('long', [step('a', { ...oneCpu, runFor: untilEnded })]);
    await vi.waitFor(async () =>
      expect((await flowAt(suite.api(), 'long'))?.status).toMatchObject({ running: 1 }),
    );
    const { metadata } = (await workloadHere('long'))!;
    const target = { namespace, name: metadata.name };
    await suite.api().patch('Workload', target, { spec: { active: false } });
    await vi.waitFor(async () => {
      const workload = (await workloadHere('long'))!;
      expect(holds(workload, 'QuotaReserved')).toBe(false);
      expect(await flowAt(there, 'long')).toBeUndefined();
    });
    expect((await flowAt(suite.api(), 'long'))?.spec.suspend).toBe(true);
    await vi.waitFor(async () => expect(await jobsAt(there)).toEqual([]));
    expect(await there.list('Workload', namespace)).toMatchObject({ items: [] });
  });
}
