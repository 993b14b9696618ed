/** flow-advance as its own process, which receives changes as a Trigger of Knative Eventing sends them. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { kinds } from '#functions/list.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Connection } from '#shared/kube/connection.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { startMain, type ChildMain } from '#shared/runtime/testing/child-main.ts';
import { flow, step } from '#test/support/flows/flow-manifest.ts';
import { startListeningSandbox, type ListeningSandbox } from '#test/support/listening-sandbox.ts';
import { newDeliveryKey } from '#test/support/signed-delivery.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const main = join(import.meta.dirname, '../../functions/flow-advance/main.ts');
const namespace = 'default';
let sandbox: ListeningSandbox;
let connection: Connection;
let client: HttpKubeClient;
const children: ChildMain[] = [];

beforeAll(async () => {
  sandbox = await startListeningSandbox({ controllers: false });
  connection = await loadConnection({ kubeconfig: sandbox.kubeconfig });
  client = new HttpKubeClient({ connection, userAgent: 'test' });
  for (const definition of kinds.map(customResourceDefinition))
    await client.create(resources.CustomResourceDefinition, definition);
});
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    await child.exit;
  }
  await connection.close();
  await sandbox.stop();
});

async function start(env: Readonly<Record<string, string>>): Promise<string> {
  const common = {
    ...{ KUBECONFIG: sandbox.kubeconfig, PORT: '0', MILLRACE_LOG_FORMAT: 'json' },
    // There is no webhook that records submitters here.
    MILLRACE_TRUST_NAMESPACES: 'true',
  };
  const child = startMain(main, { ...common, ...env });
  children.push(child);
  return child.url;
}

/**
 * One event of an ApiServerSource in reference mode, in binary mode, with the broker's additions: its own attributes,
 * and a header that asks for an event as the answer.
 */
function delivered(url: string, { apiVersion, kind, metadata }: KubeObject, change: string) {
  const { name, namespace: inNamespace = '' } = metadata;
  const [group, version] = apiVersion.split('/');
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      prefer: 'reply',
      'ce-specversion': '1.0',
      'ce-id': randomUUID(),
      'ce-source': 'https://10.96.0.1:443',
      'ce-type': `dev.knative.apiserver.ref.${change}`,
      'ce-subject': `/apis/${group}/${version}/namespaces/${inNamespace}/${kind.toLowerCase()}s/${name}`,
      'ce-time': new Date().toISOString(),
      'ce-kind': kind,
      'ce-apiversion': apiVersion,
      'ce-name': name,
      'ce-namespace': inNamespace,
      'ce-knativearrivaltime': new Date().toISOString(),
    },
    body: JSON.stringify({ kind, namespace: inNamespace, name, apiVersion }),
  });
}

async function newFlow(name: string): Promise<KubeObject> {
  const { metadata, ...rest } = flow(name, [step('first'), step('second', { after: ['first'] })]);
  return client.create(resources.JobFlow, { ...rest, metadata: { ...metadata, namespace } });
}
const jobsOf = async ({ metadata }: KubeObject): Promise<readonly KubeObject[]> => {
  const { items } = await client.list(resources.Job, { namespace });
  return items.filter(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.some(({ uid }) => uid === metadata.uid),
  );
};

it('goes on with a flow by what a broker delivers of it and of its Jobs', async () => {
  const url = await start({ MILLRACE_HOST: '::', MILLRACE_ALLOW_UNSIGNED: 'true' });
  const loopback = new URL(url);
  loopback.hostname = '127.0.0.1';
  const created = await newFlow('by-broker');
  const publish = async (object: KubeObject, change = 'update'): Promise<void> => {
    const answer = await delivered(loopback.href, object, change);
    // A broker treats any other answer with a body as a failure.
    expect([202, 204]).toContain(answer.status);
    expect(await answer.text()).toBe('');
  };
  await publish(created, 'add');
  await expect.poll(async () => (await publish(created), (await jobsOf(created)).length)).toBe(1);
  const [first] = (await jobsOf(created)) as [KubeObject];
  const finished = {
    startTime: new Date().toISOString(),
    completionTime: new Date().toISOString(),
    succeeded: 1,
    conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
      ...{ type, status: 'True', lastTransitionTime: new Date().toISOString() },
    })),
  };
  const at = { namespace, name: first.metadata.name };
  const asStatus = { type: 'merge', subresource: 'status' } as const;
  await client.patch(resources.Job, at, { status: finished }, asStatus);
  await expect.poll(async () => (await publish(first), (await jobsOf(created)).length)).toBe(2);
});

it('a function with a key refuses what a broker delivers, since a broker does not sign', async () => {
  const url = await start({
    MILLRACE_DELIVERY_KEY: newDeliveryKey(),
    MILLRACE_ALLOW_UNSIGNED: 'true',
  });
  const created = await newFlow('with-a-key');
  expect((await delivered(url, created, 'add')).status).toBe(401);
  expect(await jobsOf(created)).toEqual([]);
});

it('has no answer for what leads to a flow by an index, which only the bridge has', async () => {
  const url = await start({ MILLRACE_ALLOW_UNSIGNED: 'true' });
  const template = { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobTemplate' };
  const metadata = { namespace, name: 'a', uid: 'u', resourceVersion: '1' };
  const object = { ...template, metadata } as unknown as KubeObject;
  const answer = await delivered(url, object, 'update');
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain('MR_EVENT_UNROUTABLE');
});
