import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { startWebhook, type WebhookUnderTest } from '../api/testing/webhook-under-test.ts';
import { createSandbox, type Sandbox } from '../sandbox.ts';
import { createControllers } from './create-controllers.ts';
import { createNodes } from './node/create-nodes.ts';
import { SimulatedRuntime } from './pod/simulated-runtime.ts';
import { ReviewedApi } from './reviewed-api.ts';
import { runControllers, type RunningControllers } from './run-controllers.ts';
import { job } from './testing/controller-world.ts';

let sandbox: Sandbox;
let running: RunningControllers;
const webhooks: WebhookUnderTest[] = [];

beforeEach(() => {
  const clock = systemClock;
  sandbox = createSandbox({ clock, random: Math.random });
  createNodes(sandbox.api, 1);
  const api = new ReviewedApi(sandbox.api);
  const runtime = new SimulatedRuntime();
  const onError = (): void => undefined;
  running = runControllers(createControllers({ api, clock, runtime }), {
    ...{ api, clock, random: Math.random, onError },
  });
});

afterEach(async () => {
  await running.stop();
  await Promise.all(webhooks.splice(0).map((webhook) => webhook.stop()));
});

const typeOf = (plural: string) =>
  sandbox.api.types.all().find((type) => type.plural === plural && type.group !== 'events.k8s.io')!;

const listed = (plural: string): readonly KubeObject[] =>
  sandbox.api.store.list(typeOf(plural), 'default');

async function create(plural: string, body: object, namespace = 'default'): Promise<void> {
  const call = { verb: 'create', type: typeOf(plural), namespace, name: '' } as const;
  await sandbox.api.handle({ ...call, subresource: '', options: {}, body: body as Json });
}

async function remove(plural: string, name: string): Promise<void> {
  const call = { verb: 'delete', type: typeOf(plural), namespace: '', name } as const;
  await sandbox.api.handle({ ...call, subresource: '', options: {} });
}

/** A webhook for every write to a resource such as `pods/status`. */
async function ask(
  kind: 'Mutating' | 'Validating',
  resources: readonly string[],
  respond: (request: JsonObject) => JsonObject,
): Promise<WebhookUnderTest> {
  const webhook = await startWebhook(respond);
  webhooks.push(webhook);
  const operations = ['CREATE', 'UPDATE', 'DELETE'];
  const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations, resources }];
  const called = { name: 'hook.example.com', clientConfig: webhook.clientConfig };
  const settings = { sideEffects: 'None', admissionReviewVersions: ['v1'] };
  await create(
    `${kind.toLowerCase()}webhookconfigurations`,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: 'hook' },
      webhooks: [{ ...called, rules, ...settings }],
    },
    '',
  );
  return webhook;
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited 20 s until ${what}`);
    await sleep(10);
  }
}

interface JobStatus {
  readonly completionTime?: string;
  readonly succeeded?: number;
}

const statusOf = (): JobStatus => (listed('jobs')[0] as { status?: JobStatus }).status ?? {};
const isComplete = (): boolean => statusOf().completionTime !== undefined;
const eventTexts = (): readonly string[] =>
  listed('events').map((event) => {
    const { reason = '', message = '' } = event as { reason?: string; message?: string };
    return `${reason}: ${message}`;
  });

describe('a webhook', () => {
  it('on Pods changes those of a Job, which completes', async () => {
    const patch = [{ op: 'add', path: '/metadata/labels/added', value: 'yes' }];
    const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
    await ask('Mutating', ['pods'], ({ operation }) =>
      operation === 'CREATE'
        ? { allowed: true, patchType: 'JSONPatch', patch: encoded }
        : { allowed: true },
    );
    await create('jobs', job({ spec: { completions: 3, parallelism: 3 } }));
    await until('the Job is complete', isComplete);
    expect(statusOf().succeeded).toBe(3);
    expect(listed('pods').map(({ metadata }) => metadata.labels?.['added'])).toEqual(
      Array.from({ length: 3 }, () => 'yes'),
    );
  });

  it('on all that controllers write is asked about each write once, and all goes on', async () => {
    const webhook = await ask('Validating', ['*/*'], () => ({ allowed: true }));
    await create('jobs', job());
    await until('the Job is complete', isComplete);
    const created = webhook.requests.filter(
      ({ operation, resource }) =>
        operation === 'CREATE' && (resource as JsonObject)['resource'] === 'pods',
    );
    expect(created).toHaveLength(1);
    await until('it is reported', () => eventTexts().some((text) => text.startsWith('Completed')));
  });

  it('that refuses Pods is reported by an Event of the Job, which goes on without it', async () => {
    await ask('Validating', ['pods'], () => ({ allowed: false, status: { message: 'not today' } }));
    await create('jobs', job());
    const message = 'admission webhook "hook.example.com" denied the request: not today';
    const event = `FailedCreate: Error creating: ${message}`;
    await until('the Job reports it', () => eventTexts().includes(event));
    expect(listed('pods')).toEqual([]);
    await remove('validatingwebhookconfigurations', 'hook');
    await until('the Job is complete', isComplete);
  });
});
