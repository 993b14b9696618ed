/**
 * flow-advance as its own process, with a sandbox without controllers, so that no other process
 * writes.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
import { newDeliveryKey, signedDelivery } from '#test/support/signed-delivery.ts';

const main = join(import.meta.dirname, '../../functions/flow-advance/main.ts');
const key = newDeliveryKey();
let sandbox: ListeningSandbox;
let connection: Connection;
let client: HttpKubeClient;
let child: ChildMain;
let url: string;
let uid: string;

beforeAll(async () => {
  sandbox = await startListeningSandbox({ controllers: false });
  connection = await loadConnection({ kubeconfig: sandbox.kubeconfig });
  client = new HttpKubeClient({ connection, userAgent: 'attacks' });
  for (const definition of kinds.map(customResourceDefinition))
    await client.create(resources.CustomResourceDefinition, definition);
  const manifest = flow('a', [step('first'), step('second', { after: ['first'] })]);
  const { metadata, ...rest } = manifest;
  const created = await client.create(resources.JobFlow, {
    ...rest,
    metadata: { ...metadata, namespace: 'default' },
  });
  uid = created.metadata.uid;
  child = startMain(main, {
    KUBECONFIG: sandbox.kubeconfig,
    PORT: '0',
    MILLRACE_DELIVERY_KEY: key,
    // There is no webhook that records submitters here.
    MILLRACE_TRUST_NAMESPACES: 'true',
  });
  url = await child.url;
});
afterAll(async () => {
  child.kill('SIGKILL');
  await child.exit;
  await connection.close();
  await sandbox.stop();
});

const captured = (atMs: number) => signedDelivery('a', key, atMs, uid);
const send = async (delivery: ReturnType<typeof captured>): Promise<number> =>
  (await fetch(url, { method: 'POST', ...delivery })).status;

/** Every object that the function writes, with the version of its last write. */
async function written(): Promise<readonly string[]> {
  const kinds = [resources.JobFlow, resources.Job, resources.Event];
  const lists = await Promise.all(kinds.map((kind) => client.list(kind, { namespace: 'default' })));
  const text = ({ kind, metadata }: KubeObject) =>
    `${kind} ${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`;
  return lists.flatMap(({ items }) => items.map(text)).toSorted();
}

it('#36 does nothing twice when a captured delivery comes a thousand times', async () => {
  const delivery = captured(Date.now());
  while (!(await written()).some((text) => text.startsWith('Job '))) await send(delivery);
  // The events that its own writes cause.
  await send(delivery);
  const before = await written();
  const statuses = new Set<number>();
  for (let sent = 0; sent < 1_000; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(delivery)));
    answers.forEach((status) => statuses.add(status));
  }
  // One delivery at a time for an object. The others are asked to come back.
  expect([...statuses].filter((status) => ![202, 204, 409, 503].includes(status))).toEqual([]);
  expect(await written()).toEqual(before);
});

it('#36 refuses a captured delivery that is an hour old', async () => {
  expect(await send(captured(Date.now() - 3_600_000))).toBe(401);
});
