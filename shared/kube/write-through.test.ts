import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from './client.ts';
import { ObjectView } from './object-view.ts';
import { writeThrough } from './write-through.ts';

const { Job } = resources;
const name = { namespace: 'ns', name: 'one' };
const uid = asUid('u1');

function job(version: string): KubeObject {
  const metadata = { ...name, uid, resourceVersion: asResourceVersion(version) };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata };
}

/** A view at version 5, and a client over a server with these answers. */
function over(answers: Partial<KubeClient>) {
  const view = new ObjectView();
  view.replace([job('5')], asResourceVersion('5'));
  let nowMs = 0;
  const views = { of: (resource: object) => (resource === Job ? view : undefined) };
  const client = writeThrough(answers as KubeClient, views, { monotonicMs: () => (nowMs += 10) });
  return { client, view, held: () => view.get('ns', 'one')?.metadata.resourceVersion };
}

const writes = {
  create: async () => job('9'),
  patch: async () => job('9'),
};
const create = (client: KubeClient, dryRun?: true) =>
  client.create(Job, job('0'), { fieldManager: 'm', ...(dryRun === undefined ? {} : { dryRun }) });
const patch = (client: KubeClient, dryRun?: true) =>
  client.patch(Job, name, {}, { type: 'merge', ...(dryRun === undefined ? {} : { dryRun }) });

describe('the view of a process that writes', () => {
  it.each([
    ['create', create],
    ['patch', patch],
  ])('has the answer to a %s at once, but not that to a dry run', async (_, write) => {
    const { client, held } = over(writes);
    await write(client, true);
    expect(held()).toBe('5');
    expect((await write(client)).metadata.resourceVersion).toBe('9');
    expect(held()).toBe('9');
  });

  it('takes the answer to a create in before that is given on', async () => {
    let isTaken = false;
    const view = {
      write: async () => {
        await setImmediate();
        isTaken = true;
      },
      refresh: () => undefined,
      forget: () => undefined,
    };
    const client = writeThrough(
      writes as unknown as KubeClient,
      { of: () => view },
      { monotonicMs: () => 0 },
    );
    await create(client);
    expect(isTaken).toBe(true);
  });

  it('takes an answer for a change of its own only where the patch named the version before it', async () => {
    const sentAtMs: (number | undefined)[] = [];
    const view = {
      write: (_: KubeObject, atMs?: number) => void sentAtMs.push(atMs),
      refresh: () => undefined,
      forget: () => undefined,
    };
    const client = writeThrough(
      writes as unknown as KubeClient,
      { of: () => view },
      { monotonicMs: () => 7 },
    );
    for (const metadata of [{ resourceVersion: '8' }, { resourceVersion: '9' }, { uid }]) {
      await client.patch(Job, name, { metadata }, { type: 'merge' });
    }
    expect(sentAtMs).toEqual([7, undefined, undefined]);
  });

  it('has what a read found newer', async () => {
    const { client, held } = over({ get: async () => job('9') });
    await client.get(Job, name);
    expect(held()).toBe('9');
  });

  it('keeps what it has when a read finds nothing: the watch reports what is gone', async () => {
    const { client, held } = over({ get: async () => undefined });
    expect(await client.get(Job, name)).toBeUndefined();
    expect(held()).toBe('5');
  });

  it('loses what a delete removed, and has what it left under deletion', async () => {
    const removed = over({ delete: async () => undefined });
    await removed.client.delete(Job, name, { uid });
    expect(removed.held()).toBeUndefined();
    const kept = over({ delete: async () => job('9') });
    await kept.client.delete(Job, name, { uid });
    expect(kept.held()).toBe('9');
  });

  it('loses what was gone already when it was to be deleted, and nothing by another refusal', async () => {
    const fields = { verb: 'delete', path: '/jobs', status: 404, reason: 'NotFound', detail: 'x' };
    const refused = (code: 'MR_API_NOT_FOUND' | 'MR_API_FORBIDDEN') =>
      over({ delete: () => Promise.reject(new MillraceError(code, fields)) });
    const gone = refused('MR_API_NOT_FOUND');
    await expect(gone.client.delete(Job, name, { uid })).rejects.toThrow();
    expect(gone.held()).toBeUndefined();
    const forbidden = refused('MR_API_FORBIDDEN');
    await expect(forbidden.client.delete(Job, name, { uid })).rejects.toThrow();
    expect(forbidden.held()).toBe('5');
  });

  it('keeps an object that took the name of the one that was deleted', async () => {
    const { client, held } = over({ delete: async () => undefined });
    await client.delete(Job, name, { uid: asUid('another') });
    expect(held()).toBe('5');
  });
});

describe('what was there already when it was to be created', () => {
  const ownedBy = (owner: string): KubeObject => {
    const controller = { apiVersion: 'v1', kind: 'Flow', name: 'f', uid: asUid(owner) };
    const { metadata, ...rest } = job('7');
    const two = { ...metadata, name: 'two', uid: asUid('two') };
    return {
      ...rest,
      metadata: { ...two, ownerReferences: [{ ...controller, controller: true }] },
    };
  };
  const fields = {
    verb: 'create',
    path: '/jobs',
    status: 409,
    reason: 'AlreadyExists',
    detail: 'x',
  };
  const tried = async (there: KubeObject) => {
    const taken = new MillraceError('MR_API_CONFLICT', fields);
    const { client, view } = over({ create: () => Promise.reject(taken), get: async () => there });
    await expect(client.create(Job, ownedBy('a'), { fieldManager: 'm' })).rejects.toThrow();
    await client.get(Job, { namespace: 'ns', name: 'two' });
    return view.get('ns', 'two')?.metadata.resourceVersion;
  };

  it('is taken in once it was read, when it has the same controller', async () => {
    expect(await tried(ownedBy('a'))).toBe('7');
  });

  it('is taken in also where it is in no namespace, as what is created says and what is read does', async () => {
    const { name: two, ...rest } = ownedBy('a').metadata;
    const metadata = { ...omit(rest, 'namespace'), name: two };
    const object: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata };
    const taken = new MillraceError('MR_API_CONFLICT', fields);
    const view = new ObjectView();
    view.replace([], asResourceVersion('5'));
    const server = { create: () => Promise.reject(taken), get: async () => object };
    const client = writeThrough(
      server as unknown as KubeClient,
      { of: () => view },
      { monotonicMs: () => 0 },
    );
    await expect(client.create(resources.Node, object, { fieldManager: 'm' })).rejects.toThrow();
    await client.get(resources.Node, { namespace: '', name: two });
    expect([...view.values()]).toEqual([object]);
  });

  it('says nothing of another one that is read', async () => {
    const taken = new MillraceError('MR_API_CONFLICT', fields);
    const { metadata, ...rest } = ownedBy('a');
    const third: KubeObject = { ...rest, metadata: { ...metadata, name: 'three' } };
    const { client, view } = over({ create: () => Promise.reject(taken), get: async () => third });
    await expect(client.create(Job, ownedBy('a'), { fieldManager: 'm' })).rejects.toThrow();
    await client.get(Job, { namespace: 'ns', name: 'three' });
    expect(view.get('ns', 'three')).toBeUndefined();
  });

  it('is left out when it has another owner', async () => {
    expect(await tried(ownedBy('b'))).toBeUndefined();
  });
});

describe('what an own write shows of the watch', () => {
  const versioned = { metadata: { resourceVersion: '5' } };
  const merge = { type: 'merge' } as const;

  it('is that it holds all from before it, once the watch has reported it', async () => {
    const { client, view } = over(writes);
    await create(client);
    expect(view.currentAsOfMs).toBe(-Infinity);
    view.progress(asResourceVersion('8'));
    expect(view.currentAsOfMs).toBe(-Infinity);
    view.progress(asResourceVersion('9'));
    expect(view.currentAsOfMs).toBe(10);
  });

  it('is so too when the watch was faster than the answer', async () => {
    const { client, view } = over(writes);
    view.progress(asResourceVersion('9'));
    await client.patch(Job, name, versioned, merge);
    expect(view.currentAsOfMs).toBe(10);
  });

  it('is the time of the latest of them', async () => {
    const { client, view } = over(writes);
    view.progress(asResourceVersion('9'));
    await create(client);
    await create(client);
    expect(view.currentAsOfMs).toBe(20);
  });

  it.each([
    ['a patch that changed nothing', { patch: async () => job('5') }, versioned],
    ['a patch of no version in particular', writes, {}],
  ])('is nothing by %s: another client may have written that long ago', async (_, server, body) => {
    const { client, view } = over(server);
    await client.patch(Job, name, body, merge);
    view.progress(asResourceVersion('9'));
    expect(view.currentAsOfMs).toBe(-Infinity);
  });

  it('is nothing by a dry run, and nothing any more in another history', async () => {
    const { client, view } = over(writes);
    await create(client, true);
    view.progress(asResourceVersion('9'));
    expect(view.currentAsOfMs).toBe(-Infinity);
    await create(client);
    view.startOver([], asResourceVersion('3'));
    expect(view.currentAsOfMs).toBe(-Infinity);
  });
});
