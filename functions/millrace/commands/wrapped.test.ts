/** The verbs for an AppWrapper, as processes against a `millrace up`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { type RunningUp, runningUp } from '../testing/running-up.ts';

// A whole cluster in its own process, on a possibly busy machine.
const slow = 120_000;

const podSpec = (text: string) => ({
  restartPolicy: 'Never',
  containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', `echo ${text}`] }],
});
const components = [
  {
    template: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'alone' },
      spec: podSpec('from the Pod'),
    },
  },
  {
    template: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { generateName: 'many-' },
      spec: { template: { spec: podSpec('from the Job') } },
    },
  },
];

let up: RunningUp;
beforeAll(async () => {
  up = await runningUp('--speed', '20');
  await up.client.create(resources.AppWrapper, {
    apiVersion: 'workload.codeflare.dev/v1beta2',
    kind: 'AppWrapper',
    metadata: { name: 'train', namespace: 'default' },
    spec: { suspend: false, components },
  });
  expect(await up.finished('watch', 'train', '--timeout', '60')).toMatchObject({ code: 0 });
}, slow);
afterAll(() => up[Symbol.asyncDispose]());

test('`get`, `logs` and `get pods` name a component alike', { timeout: slow }, async () => {
  const tree = await up.finished('get', 'train');
  expect(tree.stdout).toContain('Pod/alone');
  const [job = ''] = /Job\/many-\w{10}/.exec(tree.stdout) ?? [];
  expect(job).not.toBe('');
  const logs = (await up.finished('logs', 'train')).stdout;
  expect(logs).toContain('Pod/alone');
  expect(logs).toContain('from the Pod');
  expect(logs).toContain(job);
  expect((await up.finished('get', 'pods', '--for', 'train')).stdout).toContain(job);
  const ofOne = await up.finished('logs', `train/${job}`);
  expect(ofOne.stdout).toContain('from the Job');
  expect(ofOne.stdout).not.toContain('from the Pod');
});

test('`logs` and `get` show the Jobs and Pods of a wrapped flow', { timeout: slow }, async () => {
  const template = { spec: podSpec('from the step') };
  await up.client.create(resources.AppWrapper, {
    apiVersion: 'workload.codeflare.dev/v1beta2',
    kind: 'AppWrapper',
    metadata: { name: 'outer', namespace: 'default' },
    spec: {
      suspend: false,
      components: [
        {
          template: {
            apiVersion: 'api.practice.com/v1alpha1',
            kind: 'JobFlow',
            metadata: { name: 'inner' },
            spec: { flows: [{ name: 'a', jobTemplate: { template } }] },
          },
        },
      ],
    },
  });
  // The flow is not there yet when the command begins.
  const followed = await up.finished('logs', 'aw/outer', '--follow');
  expect(followed.stdout).toBe('JobFlow/inner | from the step\n');
  expect((await up.finished('logs', 'aw/outer/JobFlow/inner')).stdout).toBe(followed.stdout);
  const children = (await up.finished('get', '--for', 'aw/outer')).stdout;
  expect(children).toMatch(/job\/inner-a .*JobFlow\/inner/);
  expect(children).toMatch(/pod\/inner-a-\S+ .*JobFlow\/inner/);
});

test('`logs` of a component that there is not names those that there are', async () => {
  const wrong = await up.finished('logs', 'train/Job/other');
  expect(wrong).toMatchObject({ code: 4, stdout: '' });
  expect(wrong.stderr).toContain('Pod/alone');
});
