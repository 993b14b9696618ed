import { describe, expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { ObjectView } from './object-view.ts';
import type { Reader } from './reader.ts';
import { mostRecentBeside, viewReader } from './view-reader.ts';
import { resources } from '#shared/domain/resources.ts';

const name = { namespace: 'default', name: 'etl-a' };
const ours = asUid('flow-2');

function job(uid: string, owner: string, version: string): KubeObject {
  const reference = { apiVersion: 'v1', kind: 'JobFlow', name: 'etl', uid: asUid(owner) };
  const ownerReferences = [{ ...reference, controller: true }];
  const resourceVersion = asResourceVersion(version);
  const metadata = { ...name, uid: asUid(uid), resourceVersion, ownerReferences };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata };
}

/** A complete view with these objects (undefined: no view), and an API server with those. */
function readerOver(
  viewed: readonly KubeObject[] | undefined,
  stored: KubeObject | undefined,
): Reader {
  const view = new ObjectView();
  if (viewed !== undefined) view.replace(viewed, asResourceVersion('10'));
  const all = async () => (stored === undefined ? [] : [stored]);
  const fallback: Reader = {
    get: async () => stored,
    list: all,
    listByOwner: all,
    listByOwners: all,
  };
  return viewReader(
    { of: (resource) => (resource === resources.Job ? view : undefined) },
    fallback,
  );
}

describe('an object by its name', () => {
  const earlier = job('u1', 'flow-1', '5');
  const present = job('u2', 'flow-2', '12');

  it('comes from the view', async () => {
    expect(await readerOver([earlier], present).get(resources.Job, name)).toBe(earlier);
  });

  it('comes from the API server when it is asked for as it is now', async () => {
    const reader = readerOver([earlier], present);
    expect(await reader.get(resources.Job, name, undefined, 'now')).toBe(present);
  });

  it('comes from the API server when the view has none', async () => {
    expect(await readerOver([], present).get(resources.Job, name)).toBe(present);
  });

  it('comes from the API server when that of the view has another controller than is meant', async () => {
    expect(await readerOver([earlier], present).get(resources.Job, name, ours)).toBe(present);
    expect(await readerOver([earlier], undefined).get(resources.Job, name, ours)).toBeUndefined();
  });

  it('comes from the view when its controller is the one that is meant', async () => {
    expect(await readerOver([present], undefined).get(resources.Job, name, ours)).toBe(present);
  });
});

describe('all objects of a kind, and the children of an owner', () => {
  const viewed = job('u1', 'flow-2', '5');
  const stored = job('u2', 'flow-2', '12');
  const owner = { namespace: 'default', uid: ours };
  const lists = (reader: Reader, kind: Resource = resources.Job) =>
    Promise.all([
      reader.list(kind),
      reader.listByOwner(kind, owner),
      reader.listByOwners(kind, owner, [ours]),
    ]);

  it('come from the view', async () => {
    expect(await lists(readerOver([viewed], stored))).toEqual([[viewed], [viewed], [viewed]]);
    expect(await lists(readerOver([], stored))).toEqual([[], [], []]);
  });

  it('come from the API server when they are asked for as they are now', async () => {
    const reader = readerOver([viewed], stored);
    expect(await reader.list(resources.Job)).toEqual([viewed]);
    expect(await reader.list(resources.Job, 'now')).toEqual([stored]);
    const now = { fieldSelector: 'status.successful=0' };
    expect(await reader.listByOwner(resources.Job, owner, now)).toEqual([stored]);
  });

  it('come from the API server while the view is not complete, and for a kind without one', async () => {
    expect(await lists(readerOver(undefined, stored))).toEqual([[stored], [stored], [stored]]);
    const reader = readerOver([viewed], stored);
    expect(await lists(reader, resources.Pod)).toEqual([[stored], [stored], [stored]]);
  });
});

describe('grandchildren', () => {
  const root = { namespace: 'default', uid: ours };
  const one = job('p1', 'job-1', '5');
  const two = {
    ...job('p2', 'job-2', '6'),
    metadata: { ...job('p2', 'job-2', '6').metadata, name: 'b' },
  };

  it('are those of the children that are asked for', async () => {
    const reader = readerOver([one, two], undefined);
    expect(await reader.listByOwners(resources.Job, root, [asUid('job-2')])).toEqual([two]);
    expect(
      await reader.listByOwners(resources.Job, root, [asUid('job-1'), asUid('job-2')]),
    ).toEqual([one, two]);
  });
});

it('what belongs to a root comes from the view, and from the API server while that is not complete', async () => {
  const root = { namespace: 'default', uid: asUid('root') };
  const { metadata } = job('w1', 'job-1', '5');
  const viewed = {
    ...job('w1', 'job-1', '5'),
    metadata: { ...metadata, labels: { [labels.ownerUid]: 'root' } },
  };
  const stored = job('w2', 'job-1', '12');
  const server: Reader = { ...readerOver(undefined, stored), listByRoot: async () => [stored] };
  const view = new ObjectView();
  const reader = viewReader({ of: () => view }, server);
  expect(await reader.listByRoot?.(resources.Job, root)).toEqual([stored]);
  view.replace([viewed], asResourceVersion('10'));
  expect(await reader.listByRoot?.(resources.Job, root)).toEqual([viewed]);
});

describe('a look past the view', () => {
  const viewed = job('u1', 'flow-2', '5');
  const stored = {
    ...job('u2', 'flow-2', '12'),
    metadata: { ...job('u2', 'flow-2', '12').metadata, name: 'b' },
  };
  const owner = { namespace: 'default', uid: ours };
  const server: Reader = {
    get: async () => stored,
    list: async () => [stored],
    listByOwner: async () => [stored],
    listByOwners: async () => [stored],
  };
  const past = (view: ObjectView): Reader =>
    mostRecentBeside({ of: (resource) => (resource === resources.Job ? view : undefined) }, server);

  it('gives what the API server has, and the names of what the view has or had', async () => {
    const view = new ObjectView();
    const gone = { ...viewed, metadata: { ...viewed.metadata, name: 'c', uid: asUid('u3') } };
    view.replace([viewed, gone], asResourceVersion('10'));
    view.apply({ type: 'DELETED', object: gone });
    const reader = past(view);
    expect(await reader.get(resources.Job, name)).toBe(stored);
    expect(await reader.listByOwner(resources.Job, owner)).toEqual([stored]);
    expect(reader.onceThere?.(resources.Job, ours)?.traces.toSorted()).toEqual(['c', 'etl-a']);
    const labelled = { ...viewed.metadata, labels: { [labels.nodeUid]: 'm1' } };
    view.write({ ...viewed, metadata: { ...labelled, resourceVersion: asResourceVersion('13') } });
    expect(reader.onceThere?.(resources.Job, ours)?.traces).toEqual(['c', 'etl-a/m1']);
    expect(reader.onceThere?.(resources.Job, asUid('another'))).toEqual({
      traces: [],
      isWhole: true,
    });
  });

  it('does not claim to know of each removal once the view had to forget some', () => {
    const view = new ObjectView();
    const many = Array.from({ length: 20_001 }, (_, index) => ({
      ...viewed,
      metadata: { ...viewed.metadata, name: `job-${index}`, uid: asUid(`u-${index}`) },
    }));
    view.replace(many, asResourceVersion('10'));
    view.replace([], asResourceVersion('13'));
    const views = { of: () => view };
    for (const reader of [past(view), viewReader(views, server)]) {
      const onceThere = reader.onceThere?.(resources.Job, ours);
      expect(onceThere?.traces).toHaveLength(20_000);
      expect(onceThere?.traces).not.toContain('job-0');
      expect(onceThere?.isWhole).toBe(false);
    }
  });

  it('knows nothing of before where there is no view, or none that is complete', () => {
    const reader = past(new ObjectView());
    expect(reader.onceThere?.(resources.Job, ours)).toBeUndefined();
    expect(reader.onceThere?.(resources.Pod, ours)).toBeUndefined();
  });
});
