import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createSandbox, restore, type Sandbox, snapshotOf } from '#sandbox';
import { kinds } from '#functions/list.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import { keepState, pauseAfter, readKeptState } from './persistence.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'millrace-persist-'))));
afterEach(() => rm(folder, { recursive: true }));

const identity = { user: 'test', fieldManager: 'test' };
const newSandbox = () => createSandbox({ clock: systemClock, random: Math.random });
const template = {
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobTemplate',
  metadata: { name: 'a', namespace: 'default' },
  spec: {
    jobTemplate: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } },
    },
  },
};

async function usedSandbox(): Promise<Sandbox> {
  const sandbox = newSandbox();
  const client = sandbox.client(identity);
  for (const definition of kinds.map(customResourceDefinition)) {
    await client.create(resources.CustomResourceDefinition, definition);
  }
  await client.create(resources.JobTemplate, template);
  return sandbox;
}

test('everything is as it was: objects, uids, versions, served kinds; the revision never goes back', async () => {
  const before = await usedSandbox();
  const snapshot = JSON.parse(JSON.stringify(snapshotOf(before.api))) as ReturnType<
    typeof snapshotOf
  >;
  const after = newSandbox();
  restore(after.api, snapshot);
  expect(snapshotOf(after.api).objects).toEqual(snapshot.objects);
  expect(after.store.revision).toBeGreaterThanOrEqual(before.store.revision);
  const kubeSystem = { namespace: '', name: 'kube-system' };
  const uidIn = async (sandbox: Sandbox) =>
    (await sandbox.client(identity).get(resources.Namespace, kubeSystem))?.metadata.uid;
  expect(await uidIn(after)).toBe(await uidIn(before));
});

test('work goes on: the next version is a new one, and custom kinds are served', async () => {
  const before = await usedSandbox();
  const after = newSandbox();
  restore(after.api, snapshotOf(before.api));
  const another = { ...template, metadata: { ...template.metadata, name: 'b' } };
  const { revision } = before.store;
  const created = await after.client(identity).create(resources.JobTemplate, another);
  expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(revision);
});

test('a watch from before the restart is answered 410, so that it lists anew', async () => {
  const before = await usedSandbox();
  const after = newSandbox();
  restore(after.api, snapshotOf(before.api));
  const from = String(before.store.revision - 1);
  const watch = after.client(identity).watch(resources.JobTemplate, {
    resourceVersion: from,
    timeoutSeconds: 1,
    signal: new AbortController().signal,
  });
  await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'MR_API_GONE' });
});

test('what was written is read again, and no draft is left', async () => {
  const sandbox = await usedSandbox();
  const keeper = keepState(folder, sandbox.api, () => undefined);
  await sandbox.client(identity).delete(resources.JobTemplate, { namespace: 'default', name: 'a' });
  await keeper.close();
  expect(await readKeptState(folder)).toEqual(JSON.parse(JSON.stringify(snapshotOf(sandbox.api))));
  expect(await readdir(folder)).toEqual(['sandbox.json']);
});

test('a small state is written a second after a change, and a large one seldom', () => {
  expect(pauseAfter(100)).toBe(1_000);
  expect(pauseAfter(60_000_000)).toBe(30_000);
});

test('an empty folder is no state', async () => {
  expect(await readKeptState(folder)).toBeUndefined();
  expect(await readKeptState(join(folder, 'absent'))).toBeUndefined();
});

test.each([
  ['half a file', '{"format":1,"obj'],
  ['another format', '{"format":99,"objects":[]}'],
  ['no revision', '{"format":1,"objects":[]}'],
  ['a revision that is no number', '{"format":1,"revision":"x","objects":[]}'],
  ['no list of objects', '{"format":1,"revision":1,"objects":{}}'],
  ['null for an object', '{"format":1,"revision":1,"objects":[null]}'],
  [
    'an object whose version is no number',
    '{"format":1,"revision":9,"objects":[{"group":"","plural":"pods","object":{"apiVersion":"v1",' +
      '"kind":"Pod","metadata":{"name":"a","uid":"u","resourceVersion":"x"}}}]}',
  ],
])('%s is refused and stays as it is', async (_what, text) => {
  const file = join(folder, 'sandbox.json');
  await writeFile(file, text);
  await expect(readKeptState(folder)).rejects.toMatchObject({ exitCode: 5 });
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('a folder that cannot be written to is refused before anything starts', async () => {
  const file = join(folder, 'occupied');
  await writeFile(file, '');
  await expect(readKeptState(join(file, 'state'))).rejects.toThrow(/nothing can be kept in/);
});
