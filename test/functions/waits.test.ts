/** Each wait of the list happens under `millrace up`, and a user sees of it what the list says. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startUp, type RunningUp } from '#functions/millrace/up/start-up.ts';
import type { JsonObject, KubeObject, NewObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { waits } from '../../deploy/waits/waits.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const namespace = 'default';
let folder: string;
let running: RunningUp;
let client: KubeClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-waits-'));
  running = await startUp({
    ...{ port: 0, nodes: 1, speed: 10, runCommands: false, stateRoot: folder, webhooks: false },
    logger: pino({ level: 'silent' }),
  });
  client = running.cluster.client({ user: 'ann', fieldManager: 'ann' });
  await client.create(resources.SuspendPolicy, {
    apiVersion: 'millrace.dev/v1alpha1',
    kind: 'SuspendPolicy',
    metadata: { name: 'shut', namespace },
    spec: {
      selector: { matchLabels: { tier: 'batch' } },
      schedule: {
        timeZone: 'UTC',
        // Open on leap days only.
        windows: [{ name: 'leap', open: '0 0 29 2 *', close: '1 0 29 2 *' }],
      },
    },
  });
});
afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true, force: true });
});

const pod = (fields: object = {}, command: readonly string[] = ['sleep', '600']) => ({
  spec: { containers: [{ name: 'main', image: 'busybox', command }], ...fields },
});
const step = (name: string, fields: object = {}) => ({
  name,
  jobTemplate: { template: pod() },
  ...fields,
});
const batch = { tier: 'batch' };
const object = (kind: string, spec: object, labels: object = {}) => ({
  apiVersion: kind === 'Job' ? 'batch/v1' : 'api.practice.com/v1alpha1',
  kind,
  metadata: { generateName: 'wait-', namespace, labels },
  spec,
});
const flow = (flows: readonly object[], fields: object = {}, labels: object = {}) =>
  object('JobFlow', { flows, ...fields }, labels);
const absent = { name: 'b', jobTemplateRef: 'absent' };

/** By the name of the wait. */
const scenarios: Readonly<Record<string, object>> = {
  'a JobTemplate of a first step is missing': flow([{ name: 'a', jobTemplateRef: 'absent' }]),
  'a JobTemplate of a later step is missing': flow([step('a'), { ...absent, dependencies: ['a'] }]),
  'a step waits for a person': flow([
    step('a', { jobTemplate: { suspend: true, template: pod() } }),
  ]),
  'a failed attempt waits for its retry': flow([
    step('a', {
      jobTemplate: { template: pod({}, ['false']) },
      retryPolicy: { limit: 1, backoffSeconds: 600 },
    }),
  ]),
  'as many steps run as may': flow([step('a'), step('b')], { parallelism: 1 }),
  'a flow that is shut down waits for what runs': flow([step('a')]),
  'no node takes the Pod of a step': flow([
    step('a', { jobTemplate: { template: pod({ nodeSelector: { pool: 'none' } }) } }),
  ]),
  'the flow is suspended': flow([step('a')], { suspend: true }),
  'a policy holds the flow': flow([step('a')], {}, batch),
  'a policy holds the DaemonJob': object('DaemonJob', { template: pod() }, batch),
  'the DaemonJob is suspended': object('DaemonJob', { template: pod(), suspend: true }),
  'no node can run the DaemonJob': object('DaemonJob', {
    template: pod({ nodeSelector: { pool: 'none' } }),
  }),
  'a policy holds a Job': object('Job', { template: pod({ restartPolicy: 'Never' }) }, batch),
};

/** By the name of the wait: what a user changes of it once it has started. */
const changes: Readonly<Record<string, JsonObject>> = {
  'a flow that is shut down waits for what runs': { spec: { shutdown: 'Stop' } },
};

interface Status {
  readonly startTime?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

it.each(waits.map((wait) => [wait.name, wait] as const))('%s', async (name, wait) => {
  const manifest = scenarios[name] as NewObject | undefined;
  if (manifest === undefined) throw new Error(`no scenario makes "${name}" happen`);
  const resource: Resource = resources[manifest.kind as 'JobFlow' | 'DaemonJob' | 'Job'];
  const { metadata } = await client.create(resource, manifest);
  const target = { namespace, name: metadata.name };
  const change = changes[name];
  if (change !== undefined) {
    await vi.waitFor(async () => {
      const { startTime } = statusOf(await client.get(resource, target));
      expect(startTime).toBeDefined();
    }, 30_000);
    await client.patch(resource, target, change, { type: 'merge' });
  }
  await vi.waitFor(
    async () => {
      const found = await client.get(resource, target);
      const seen = statusOf(found);
      expect(seen).toMatchObject({ reason: wait.reason });
      expect(seen.message).toContain(wait.message);
      if (wait.condition !== undefined) {
        const conditions = seen.conditions?.map(({ type, status }) => `${type}=${status}`);
        expect(conditions).toContain(wait.condition);
      }
      if (wait.event !== undefined) expect(await eventsOn(metadata.uid)).toContain(wait.event);
    },
    { timeout: 30_000, interval: 100 },
  );
});

it('each scenario is of a wait in the list', () => {
  expect(Object.keys(scenarios).sort()).toEqual(waits.map(({ name }) => name).sort());
});

/** A Job has the words of its policy in a note. */
function statusOf(found: KubeObject | undefined): Status {
  if (found?.kind !== 'Job') return found?.status ?? {};
  const note = JSON.parse(found.metadata.annotations?.['millrace.dev/held'] ?? '{}') as Record<
    string,
    string
  >;
  return { reason: note['reason'] ?? '', message: note['policy'] ?? '' };
}

async function eventsOn(uid: string): Promise<readonly string[]> {
  const { items } = await client.list(resources.Event, { namespace });
  return items
    .map(
      (event) =>
        event as unknown as {
          readonly reason: string;
          readonly involvedObject: { readonly uid: string };
        },
    )
    .filter(({ involvedObject }) => involvedObject.uid === uid)
    .map(({ reason }) => reason);
}
