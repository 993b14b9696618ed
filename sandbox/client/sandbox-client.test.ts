import { expect, test } from 'vitest';
import { hasCode } from '#shared/domain/errors.ts';
import type { JsonObject, NewObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { WatchEvent } from '#shared/kube/client.ts';
import { createSandbox, type Sandbox } from '../sandbox.ts';
import { Fixture, job } from '../api/testing/fixture.ts';

const identity = { user: 'tester', fieldManager: 'test' };
const named = { namespace: 'default', name: 'j' };
const newJob = {
  ...job('j'),
  metadata: { name: 'j', namespace: 'default' },
} as unknown as NewObject;

test('writes, reads and deletes as the HTTP client does', async () => {
  const client = new Fixture().sandbox.client(identity);
  const created = await client.create(resources.Job, newJob);
  expect(created.metadata).not.toHaveProperty('managedFields');
  expect(await client.get(resources.Job, named)).toEqual(created);
  const patch = { spec: { suspend: true } };
  const patched = await client.patch(resources.Job, named, patch, { type: 'merge' });
  expect(patched).toMatchObject({ ...patch, metadata: { generation: 2 } });
  expect((await client.list(resources.Job, {})).items).toEqual([patched]);
  const gone = await client.delete(resources.Job, named, { propagation: 'Background' });
  expect(gone).toBeUndefined();
  expect(await client.get(resources.Job, named)).toBeUndefined();
});

test('who may do what is asked as over HTTP, and answered by the rules of the sandbox', async () => {
  const question = { user: 'ann', resourceAttributes: { verb: 'create', resource: 'jobs' } };
  const ask = (sandbox: Sandbox) =>
    sandbox.client(identity).review(resources.SubjectAccessReview, question);
  expect(await ask(new Fixture().sandbox)).toMatchObject({ allowed: true });
  const clock = { now: () => 0 };
  const permits = ({ user }: JsonObject) => user !== 'ann';
  const strict = createSandbox({ clock, random: () => 0.5, permits });
  expect(await ask(strict)).toMatchObject({ allowed: false });
});

test('the resources of a version are discovered as over HTTP', async () => {
  const client = new Fixture().sandbox.client(identity);
  const batch = await client.discover('batch/v1');
  expect(batch).toContainEqual(resources.Job);
  expect(await client.discover('v1')).toContainEqual(resources.Pod);
  expect(await client.discover('batch/v7')).toBeUndefined();
});

test('warnings of a write are reported as by the HTTP client', async () => {
  const client = new Fixture().sandbox.client(identity);
  const warnings: string[] = [];
  const onWarning = (text: string): void => void warnings.push(text);
  const misspelt = { ...newJob, spec: { ...(newJob.spec as object), paralelism: 1 } };
  await client.create(resources.Job, misspelt, { onWarning });
  const patch = { spec: { suspendd: true } };
  await client.patch(resources.Job, named, patch, { type: 'merge', onWarning });
  expect(warnings).toEqual(['unknown field "spec.paralelism"', 'unknown field "spec.suspendd"']);
});

test('failures carry the codes of the contract', async () => {
  const client = new Fixture().sandbox.client(identity);
  await client.create(resources.Job, newJob);
  const conflict = await client.create(resources.Job, newJob).catch((error: unknown) => error);
  expect(hasCode(conflict, 'MR_API_CONFLICT')).toBe(true);
  expect(conflict).toMatchObject({ fields: { reason: 'AlreadyExists' } });
  const invalid = { ...newJob, metadata: { ...newJob.metadata, name: 'A_' } };
  await expect(client.create(resources.Job, invalid)).rejects.toMatchObject({
    code: 'MR_API_INVALID',
  });
  const absent = { ...named, name: 'x' };
  const missing = client.patch(resources.Job, absent, {}, { type: 'merge' });
  await expect(missing).rejects.toMatchObject({ code: 'MR_API_NOT_FOUND' });
});

test('a watch gives what happens, until it is aborted', async () => {
  const fixture = new Fixture();
  const client = fixture.sandbox.client(identity);
  const { resourceVersion } = await client.list(resources.Job, {});
  const abort = new AbortController();
  const options = { resourceVersion, timeoutSeconds: 60, signal: abort.signal };
  const seen: WatchEvent[] = [];
  const watching = (async () => {
    for await (const event of client.watch(resources.Job, options)) {
      seen.push(event);
      if (event.type === 'DELETED') abort.abort();
    }
  })();
  await client.create(resources.Job, newJob);
  await client.delete(resources.Job, named, { propagation: 'Background' });
  await watching;
  expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
});

test('a watch from a forgotten version fails as gone', async () => {
  const client = new Fixture({ historySize: 1 }).sandbox.client(identity);
  await client.create(resources.Job, newJob);
  const { signal } = new AbortController();
  const watch = client.watch(resources.Job, { resourceVersion: '1', timeoutSeconds: 60, signal });
  const first = watch[Symbol.asyncIterator]().next();
  await expect(first).rejects.toMatchObject({ code: 'MR_API_GONE' });
});

test('what a caller keeps changing does not change what is stored', async () => {
  const client = new Fixture().sandbox.client(identity);
  const labels: Record<string, string> = { a: '1' };
  await client.create(resources.Job, { ...newJob, metadata: { ...newJob.metadata, labels } });
  labels['a'] = '2';
  const stored = await client.get(resources.Job, named);
  expect(stored?.metadata.labels).toMatchObject({ a: '1' });
});

/** Stored unchanged, because the schema keeps unknown fields. */
const loose = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.loose.test' },
  spec: {
    group: 'loose.test',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};
const thing = { group: 'loose.test', version: 'v1', kind: 'Thing', plural: 'things' } as Resource;

test.each<[string, JsonObject]>([
  ['a quantity of no such unit', { resources: { requests: { memory: '1Gb' } } }],
  ['a null', { env: null, resources: { limits: null } }],
  ['an empty list', { args: [], env: [] }],
  ['a port of more than 32 bits', { ports: [{ containerPort: 2 ** 40 }] }],
])('%s in a part of another object is read as if it were sent anew', async (_what, fields) => {
  const client = new Fixture().sandbox.client(identity);
  await client.create(resources.CustomResourceDefinition, loose);
  const template = { spec: { restartPolicy: 'Never', containers: [container(fields)] } };
  const holder = await client.create(thing, {
    ...{ apiVersion: 'loose.test/v1', kind: 'Thing' },
    metadata: { name: 'holder', namespace: 'default' },
    spec: { template },
  });
  const held = holder.spec as { readonly template: JsonObject };
  const [fromHolder, anew] = await Promise.all(
    [held.template, structuredClone(template)].map((part) =>
      client
        .create(resources.Job, { ...newJob, spec: { template: part } }, { dryRun: true })
        .then(({ spec }) => (spec as { readonly template: JsonObject }).template['spec'])
        .catch((error: unknown) => String(error)),
    ),
  );
  expect(fromHolder).toEqual(anew);
});

function container(fields: JsonObject): JsonObject {
  return { name: 'main', image: 'none', ...fields };
}
