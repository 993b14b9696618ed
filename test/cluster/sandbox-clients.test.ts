/** Clients that know nothing of the sandbox: client-node, and kwok with client-go's informers. */
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BatchV1Api,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  V1ConfigMap,
  V1Job,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Kubectl, kubectlOrThrow, kubectlWith } from '#test/support/control-plane/kubectl.ts';
import { type ListeningSandbox, startListeningSandbox } from '#test/support/listening-sandbox.ts';
import { ManagedProcess } from '#test/support/managed-process.ts';
import { type OrphanGuard, startOrphanGuard } from '#test/support/orphan-guard.ts';
import { describeWithCluster } from '#test/support/require.ts';

const stages = join(import.meta.dirname, '../support/control-plane/stages');
const container = { name: 'main', image: 'busybox', command: ['true'] };
/** client-node's models are classes that also take plain objects. */
const named = (name: string): V1ConfigMap =>
  Object.assign(new V1ConfigMap(), { metadata: { name } });
const podSpec = { restartPolicy: 'Never', containers: [container] };

describeWithCluster('the client-node library on the sandbox', () => {
  let sandbox: ListeningSandbox;
  const config = new KubeConfig();

  beforeAll(async () => {
    sandbox = await startListeningSandbox();
    config.loadFromFile(sandbox.kubeconfig);
  });
  afterAll(() => sandbox.stop());

  it('creates, reads, lists and deletes by its typed API', async () => {
    const jobs = config.makeApiClient(BatchV1Api);
    const where = { namespace: 'default' };
    const body = Object.assign(new V1Job(), {
      metadata: { name: 'typed' },
      spec: { template: { spec: podSpec } },
    });
    const created = await jobs.createNamespacedJob({ ...where, body });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const read = () => jobs.readNamespacedJob({ ...where, name: 'typed' });
    await expect.poll(async () => (await read()).status?.succeeded).toBe(1);
    const { items } = await jobs.listNamespacedJob(where);
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['typed']);
    await jobs.deleteNamespacedJob({ ...where, name: 'typed' });
    const code = () =>
      read().then(
        () => 200,
        (error: unknown) => (error as { code: number }).code,
      );
    await expect.poll(code).toBe(404);
  });

  it('keeps its informer up to date', async () => {
    const core = config.makeApiClient(CoreV1Api);
    const where = { namespace: 'default' };
    await core.createNamespacedConfigMap({ ...where, body: named('before') });
    const path = '/api/v1/namespaces/default/configmaps';
    const informer = makeInformer(config, path, () => core.listNamespacedConfigMap(where));
    const seen: string[] = [];
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata?.name ?? ''}`));
    }
    await informer.start();
    await core.createNamespacedConfigMap({ ...where, body: named('after') });
    await core.deleteNamespacedConfigMap({ ...where, name: 'before' });
    await expect
      .poll(() => seen.filter((line) => !line.includes('kube-root-ca.crt')))
      .toEqual(['add before', 'add after', 'delete before']);
    await informer.stop();
  });
});

describeWithCluster('kwok on a sandbox without controllers', (cluster) => {
  let sandbox: ListeningSandbox;
  let kubectl: Kubectl;
  let kwok: ManagedProcess;
  let guard: OrphanGuard;
  let folder: string;

  beforeAll(async () => {
    sandbox = await startListeningSandbox({ controllers: false });
    kubectl = kubectlWith(cluster.binaries.kubectl, sandbox.kubeconfig);
    folder = await mkdtemp(join(tmpdir(), 'millrace-kwok-'));
    guard = startOrphanGuard(folder);
    kwok = new ManagedProcess({
      command: cluster.binaries.kwok,
      args: [
        `--kubeconfig=${sandbox.kubeconfig}`,
        '--manage-all-nodes=true',
        ...readdirSync(stages).map((file) => `--config=${join(stages, file)}`),
      ],
      logFile: join(folder, 'kwok.log'),
      guard,
    });
    kwok.start();
  });
  afterAll(async () => {
    await kwok.stop();
    guard.close();
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('lets its informers see a Node and a Pod, and takes the status that it writes', async () => {
    const create = (object: object) =>
      kubectlOrThrow(kubectl, ['create', '-f', '-'], { input: JSON.stringify(object) });
    const resources = { cpu: '4', memory: '1Gi', pods: '10' };
    await create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'fake', annotations: { 'kwok.x-k8s.io/node': 'fake' } },
      status: { allocatable: resources, capacity: resources },
    });
    await create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
    const spec = { ...podSpec, nodeName: 'fake' };
    await create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec });
    const waitFor = (...what: string[]) =>
      kubectlOrThrow(kubectl, ['wait', ...what, '--timeout=20s']);
    await waitFor('node/fake', '--for=condition=Ready');
    await waitFor('pod/one', '--for=jsonpath={.status.phase}=Succeeded');
    await kubectlOrThrow(kubectl, ['delete', 'pod', 'one', '--timeout=20s']);
    expect(await readFile(kwok.logFile, 'utf8')).not.toMatch(
      /reflector|failed to (list|watch|patch)/i,
    );
  });
});
