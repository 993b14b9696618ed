import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { asResourceVersion, type KubeObject } from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { ObjectView } from '#shared/kube/object-view.ts';
import { viewReader, type Views } from '#shared/kube/view-reader.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { writeThrough } from '#shared/kube/write-through.ts';
import {
  type ClusterClient,
  createFlow,
  freshNamespace,
  openClient,
  unmanagedJob,
} from '#test/support/cluster-client.ts';
import { describeWithCluster } from '#test/support/require.ts';

const ofJobs = (view: ObjectView): Views<ObjectView> => ({
  of: (resource) => (resource === resources.Job ? view : undefined),
});

const { Job, Namespace } = resources;

describeWithCluster('reading', (cluster) => {
  let admin: ClusterClient;
  let namespace: string;
  let flow: KubeObject;

  beforeAll(async () => {
    admin = await openClient(cluster.kubeconfig, 'kube-reads-test');
  });
  beforeEach(async () => {
    namespace = await freshNamespace(admin.client, 'reads');
    flow = await createFlow(admin.client, namespace, 'flow');
  });
  afterAll(() => admin[Symbol.asyncDispose]());

  const owner = () => ({ namespace, uid: flow.metadata.uid });
  const child = (name: string, of = flow) =>
    unmanagedJob(name, of, { labels: { [labels.ownerUid]: flow.metadata.uid } });
  const names = (objects: readonly KubeObject[]): string[] =>
    objects.map((object) => object.metadata.name).sort();

  it('from the API server finds children by label and controller, not by label alone', async () => {
    const other = await createFlow(admin.client, namespace, 'other');
    await admin.client.create(Job, child('ours'));
    await admin.client.create(Job, child('labelled-as-ours', other));
    const found = await apiReader(admin.client).listByOwner(resources.Job, owner());
    expect(names(found)).toEqual(['ours']);
    expect(found[0]).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job' });
    expect(found[0]?.metadata).not.toHaveProperty('managedFields');
  });

  it('from a view goes to the API server until the view is complete', async () => {
    const created = await admin.client.create(Job, child('a'));
    const view = new ObjectView();
    const reader = viewReader(ofJobs(view), apiReader(admin.client));
    expect(names(await reader.listByOwner(resources.Job, owner()))).toEqual(['a']);
    const read = await reader.get(resources.Job, { namespace, name: 'a' });
    expect(read?.metadata.uid).toBe(created.metadata.uid);
    view.replace([], asResourceVersion('1'));
    expect(await reader.listByOwner(resources.Job, owner())).toEqual([]);
    expect(await reader.get(resources.JobFlow, { namespace, name: 'flow' })).toBeDefined();
  });

  it('from a view takes an object for absent only when the API server says so too', async () => {
    const view = new ObjectView();
    view.replace([], asResourceVersion('1'));
    const reader = viewReader(ofJobs(view), apiReader(admin.client));
    expect(await reader.get(resources.Job, { namespace, name: 'a' })).toBeUndefined();
    await admin.client.create(Job, child('a'));
    expect(await reader.get(resources.Job, { namespace, name: 'a' })).toBeDefined();
  });

  it('has own writes at once: creates, patches, deletes', async () => {
    const view = new ObjectView();
    const { resourceVersion } = await admin.client.list(Job, { namespace });
    view.replace([], resourceVersion);
    const client = writeThrough(admin.client, ofJobs(view), systemClock);
    const reader = viewReader(ofJobs(view), apiReader(admin.client));
    const read = () => reader.get(resources.Job, { namespace, name: 'a' });

    const created = await client.create(Job, child('a'));
    expect(names(await reader.listByOwner(resources.Job, owner()))).toEqual(['a']);
    const patch = { metadata: { labels: { touched: 'yes' } } };
    await client.patch(Job, { namespace, name: 'a' }, patch, { type: 'merge' });
    expect((await read())?.metadata.labels?.['touched']).toBe('yes');
    await client.patch(Job, { namespace, name: 'a' }, patch, { type: 'merge', dryRun: true });
    view.write(created);
    expect((await read())?.metadata.labels?.['touched']).toBe('yes');
    await client.delete(Job, { namespace, name: 'a' }, { propagation: 'Background' });
    expect(await read()).toBeUndefined();
  });

  it('has what an own read found newer than the watch has reported', async () => {
    const view = new ObjectView();
    const { metadata } = await admin.client.create(Job, child('a'));
    const { items, resourceVersion } = await admin.client.list(Job, { namespace });
    view.replace(items, resourceVersion);
    const patch = { metadata: { uid: metadata.uid, labels: { touched: 'yes' } } };
    await admin.client.patch(Job, { namespace, name: 'a' }, patch, { type: 'merge' });
    expect(view.get(namespace, 'a')?.metadata.labels).not.toHaveProperty('touched');
    await writeThrough(admin.client, ofJobs(view), systemClock).get(Job, { namespace, name: 'a' });
    expect(view.get(namespace, 'a')?.metadata.labels).toHaveProperty('touched');
  });

  it('keeps a deleted object that its finalizers hold, with its deletion time', async () => {
    const view = new ObjectView();
    const client = writeThrough(admin.client, ofJobs(view), systemClock);
    const finalizers = ['test.millrace.dev/hold'];
    const { metadata } = await client.create(Job, unmanagedJob('a', flow, { finalizers }));
    await client.delete(Job, { namespace, name: 'a' }, { propagation: 'Background' });
    expect(view.get(namespace, 'a')?.metadata.deletionTimestamp).toBeDefined();
    const release = { metadata: { uid: metadata.uid, finalizers: null } };
    await client.patch(Job, { namespace, name: 'a' }, release, { type: 'merge' });
  });

  it('agrees with the watch about what a write did', async () => {
    const view = new ObjectView();
    const { resourceVersion } = await admin.client.list(Job, { namespace });
    view.replace([], resourceVersion);
    const client = writeThrough(admin.client, ofJobs(view), systemClock);
    await client.create(Job, child('a'));
    await client.delete(Job, { namespace, name: 'a' }, { propagation: 'Background' });
    const controller = new AbortController();
    const watch = { namespace, resourceVersion, timeoutSeconds: 60, signal: controller.signal };
    for await (const event of admin.client.watch(Job, watch)) {
      if (event.type === 'BOOKMARK') continue;
      view.apply(event);
      expect(view.get(namespace, 'a')).toBeUndefined();
      if (event.type === 'DELETED') controller.abort();
    }
  });

  it('names the cluster by the uid of kube-system', async () => {
    const system = await admin.client.get(Namespace, { namespace: '', name: 'kube-system' });
    expect(await clusterUid(admin.client)).toBe(system?.metadata.uid);
  });

  it('lists in pages that add up', async () => {
    for (const name of ['a', 'b', 'c']) await admin.client.create(Job, child(name));
    const first = await admin.client.list(Job, { namespace, limit: 2 });
    expect(first.items).toHaveLength(2);
    const rest = await admin.client.list(Job, {
      namespace,
      limit: 2,
      ...(first.continue === undefined ? {} : { continue: first.continue }),
    });
    expect(names([...first.items, ...rest.items])).toEqual(['a', 'b', 'c']);
    expect(rest.continue).toBeUndefined();
  });
});
