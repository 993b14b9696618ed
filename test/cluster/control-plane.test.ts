import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { describeWithCluster } from '#test/support/require.ts';

interface JobSettings {
  readonly annotations?: Record<string, string>;
  readonly spec?: Record<string, unknown>;
  readonly metadata?: Record<string, unknown>;
}

function job(name: string, { annotations = {}, spec = {}, metadata = {} }: JobSettings = {}) {
  const containers = [{ name: 'main', image: 'busybox', command: ['true'] }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, ...metadata },
    spec: {
      backoffLimit: 0,
      ...spec,
      template: { metadata: { annotations }, spec: { restartPolicy: 'Never', containers } },
    },
  };
}

describeWithCluster('the control plane', (cluster) => {
  const namespace = `plane-${randomUUID().slice(0, 8)}`;
  const here = `--namespace=${namespace}`;
  const kubectl = (...args: string[]) => kubectlOrThrow(cluster.kubectl, [...args, here]);
  const create = (object: object) =>
    kubectlOrThrow(cluster.kubectl, ['create', '-f', '-', here], { input: JSON.stringify(object) });
  const waitFor = (what: string, condition: string) =>
    kubectl('wait', what, `--for=${condition}`, '--timeout=30s');
  const podsGone = (of: string) =>
    kubectl('wait', 'pod', '-l', `job-name=${of}`, '--for=delete', '--timeout=30s');

  beforeAll(() => kubectl('create', 'namespace', namespace));
  afterAll(() => cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']));

  it('has three ready nodes, one of them named minikube', async () => {
    const out = await kubectl('get', 'nodes', '--no-headers');
    const rows = out
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2));
    expect(rows.sort()).toEqual([
      ['minikube', 'Ready'],
      ['node-1', 'Ready'],
      ['node-2', 'Ready'],
    ]);
  });

  it('completes a Job after the run time that its pod is annotated with', async () => {
    const started = performance.now();
    await create(job('two-seconds', { annotations: { 'simulate.millrace.dev/run-for': '2s' } }));
    await waitFor('job/two-seconds', 'condition=Complete');
    expect(performance.now() - started).toBeGreaterThanOrEqual(2_000);
  });

  it('runs a pod for a second when nothing is annotated, through Running to Completed', async () => {
    await create(job('plain'));
    const pods = () => kubectl('get', 'pods', '-l', 'job-name=plain');
    await expect.poll(pods, { interval: 50 }).toMatch(/1\/1 +Running/);
    await waitFor('job/plain', 'condition=Complete');
    expect(await pods()).toMatch(/0\/1 +Completed/);
  });

  it('reports when the containers of a pod started and finished', async () => {
    await create(job('timed', { annotations: { 'simulate.millrace.dev/run-for': '3s' } }));
    await waitFor('job/timed', 'condition=Complete');
    const ended = '{.items[0].status.containerStatuses[0].state.terminated}';
    const state = JSON.parse(
      await kubectl('get', 'pods', '-l', 'job-name=timed', '-o', `jsonpath=${ended}`),
    ) as { startedAt: string; finishedAt: string };
    const ranMs = Date.parse(state.finishedAt) - Date.parse(state.startedAt);
    // The API keeps whole seconds.
    expect(ranMs).toBeGreaterThanOrEqual(2_000);
  });

  it('fails a Job whose pod is annotated with an exit code', async () => {
    const annotations = { 'simulate.millrace.dev/exit-code': '3' };
    await create(job('exits-3', { annotations }));
    await waitFor('job/exits-3', 'condition=Failed');
    const pods = await kubectl('get', 'pods', '-l', 'job-name=exits-3', '--no-headers');
    expect(pods.trim().split('\n')).toHaveLength(1);
    expect(pods).toMatch(/0\/1 +Error/);
    const code = '{.items[0].status.containerStatuses[0].state.terminated.exitCode}';
    expect(await kubectl('get', 'pods', '-l', 'job-name=exits-3', '-o', `jsonpath=${code}`)).toBe(
      '3',
    );
  });

  it('kills the pod of a Job that is suspended', async () => {
    await create(job('stopped', { annotations: { 'simulate.millrace.dev/run-for': '1h' } }));
    await waitFor('job/stopped', 'jsonpath={.status.ready}=1');
    await kubectl('patch', 'job/stopped', '--patch={"spec":{"suspend":true}}');
    await waitFor('job/stopped', 'condition=Suspended');
    await podsGone('stopped');
    expect(await kubectl('get', 'pods', '-l', 'job-name=stopped', '-o', 'name')).toBe('');
  });

  it('removes a finished Job after its time to live', async () => {
    await create(job('short-lived', { spec: { ttlSecondsAfterFinished: 1 } }));
    await waitFor('job/short-lived', 'delete');
    expect(await kubectl('get', 'jobs', '-o', 'name')).not.toContain('short-lived');
  });

  it('collects what a deleted owner leaves behind', async () => {
    await kubectl('create', 'configmap', 'owner');
    const uid = await kubectl('get', 'configmap', 'owner', '-o', 'jsonpath={.metadata.uid}');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    const annotations = { 'simulate.millrace.dev/run-for': '1h' };
    await create(job('owned', { annotations, metadata: { ownerReferences } }));
    await waitFor('job/owned', 'jsonpath={.status.ready}=1');
    await kubectl('delete', 'configmap', 'owner');
    await waitFor('job/owned', 'delete');
    await podsGone('owned');
    expect(await kubectl('get', 'pods', '-l', 'job-name=owned', '-o', 'name')).toBe('');
  });

  it('gives a function no more rights than its role', async () => {
    const { code, stderr } = await cluster.kubectlAs('flow-advance')(['get', 'secrets', '-A']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('Forbidden');
  });
});
