import { expect, test } from 'vitest';
import { hasCode } from '#shared/domain/errors.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { WatchEvent } from '#shared/kube/client.ts';
import { Fixture, job } from './api/testing/fixture.ts';

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
