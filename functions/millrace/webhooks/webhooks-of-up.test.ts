/** `millrace up` with and without its webhooks. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { annotations } from '#shared/domain/labels.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { defaultPolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { startUp, type RunningUp } from '../up/start-up.ts';

vi.setConfig({ testTimeout: 30_000 });
let running: RunningUp | undefined;
let folder: string | undefined;

afterEach(async () => {
  await running?.stop();
  running = undefined;
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function up(policy: PodPolicy, webhooks = true) {
  folder = await mkdtemp(join(tmpdir(), 'millrace-webhooks-'));
  running = await startUp({
    ...{ port: 0, nodes: 1, speed: 1, runCommands: false, stateRoot: folder },
    logger: pino({ level: 'silent' }),
    ...{ policy, webhooks },
  });
  return running.cluster.client({ user: 'ann', fieldManager: 'ann' });
}

const pod = (fields: object = {}) => ({
  template: { spec: { containers: [{ name: 'main', image: 'busybox' }], ...fields } },
});
const flow = (name: string, flows: readonly object[]): NewObject => ({
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobFlow',
  metadata: { name, namespace: 'default' },
  spec: { flows },
});
const cycle = flow('cycle', [
  { name: 'a', dependencies: ['b'], jobTemplate: pod() },
  { name: 'b', dependencies: ['a'], jobTemplate: pod() },
]);
const onHost = flow('on-host', [{ name: 'a', jobTemplate: pod({ hostNetwork: true }) }]);
const configurations = ({ cluster }: RunningUp) =>
  ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].flatMap((plural) =>
    cluster.store.list({ group: 'admissionregistration.k8s.io', plural }),
  );

it('records who submits, refuses what cannot be run, and runs what can', async () => {
  const ann = await up(defaultPolicy);
  await expect(ann.create(resources.JobFlow, cycle)).rejects.toMatchObject({
    code: 'MR_API_INVALID',
    fields: { detail: expect.stringContaining('form a cycle: a -> b -> a') as string },
  });
  await expect(ann.create(resources.JobFlow, onHost)).rejects.toMatchObject({
    code: 'MR_API_FORBIDDEN',
  });
  const good = await ann.create(
    resources.JobFlow,
    flow('good', [{ name: 'a', jobTemplate: pod() }]),
  );
  const submitter = { username: 'ann', groups: ['system:authenticated'] };
  expect(JSON.parse(good.metadata.annotations?.[annotations.submitter] ?? '')).toEqual(submitter);
  const name = { namespace: 'default', name: 'good' };
  await vi.waitFor(
    async () => {
      const { status } = (await ann.get(resources.JobFlow, name)) ?? {};
      expect(status).toMatchObject({ state: 'Succeed' });
    },
    { timeout: 60_000 },
  );
});

it('refuses an annotation of Millrace that is misspelt or cannot be read, and no other', async () => {
  const ann = await up(defaultPolicy);
  const carrying = (name: string, own: Readonly<Record<string, string>>): NewObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default', annotations: own },
    spec: { ...pod({ restartPolicy: 'Never' }) },
  });
  const refusal = (words: string) => ({
    code: 'MR_API_INVALID',
    fields: { detail: expect.stringContaining(words) as string },
  });
  const misspelt = carrying('a', { 'millrace.dev/suspend-overide': 'Run' });
  await expect(ann.create(resources.Job, misspelt)).rejects.toMatchObject(
    refusal('did you mean millrace.dev/suspend-override?'),
  );
  const local = carrying('b', { [annotations.suspendOverride]: 'Run;until=2026-11-21T18:00:00' });
  await expect(ann.create(resources.Job, local)).rejects.toMatchObject(
    refusal('is no time with its offset from UTC'),
  );
  const good = carrying('c', { [annotations.suspendOverride]: 'hold', note: 'mine' });
  const { spec } = await ann.create(resources.Job, good);
  expect(spec).toMatchObject({ template: {} });
});

it('takes exceptions', async () => {
  const ann = await up({ ...defaultPolicy, exceptions: { hostNamespaces: 'allow' } });
  expect(await ann.create(resources.JobFlow, onHost)).toMatchObject({ kind: 'JobFlow' });
});

it('leaves no webhook behind, which would be called in vain where objects are kept', async () => {
  await up(defaultPolicy);
  const ended = running!;
  expect(configurations(ended)).toHaveLength(2);
  await ended.stop();
  expect(configurations(ended)).toEqual([]);
});

it('without webhooks a cycle is stored, and fails with the same words', async () => {
  const ann = await up(defaultPolicy, false);
  expect(configurations(running!)).toEqual([]);
  await ann.create(resources.JobFlow, cycle);
  const name = { namespace: 'default', name: 'cycle' };
  await vi.waitFor(async () => {
    const { status } = (await ann.get(resources.JobFlow, name)) ?? {};
    expect(status).toMatchObject({
      state: 'Failed',
      message: expect.stringContaining('form a cycle: a -> b -> a') as string,
    });
  });
});

it('without webhooks the policy is held when Jobs are created', async () => {
  const ann = await up(defaultPolicy, false);
  await ann.create(resources.JobFlow, onHost);
  const name = { namespace: 'default', name: 'on-host' };
  await vi.waitFor(async () => {
    const { status } = (await ann.get(resources.JobFlow, name)) ?? {};
    expect(status).toMatchObject({
      reason: 'Forbidden',
      message: expect.stringContaining('(policy hostNamespaces, profile baseline)') as string,
    });
  });
  expect((await ann.list(resources.Job, {})).items).toEqual([]);
});
