import { describe, expect, it } from 'vitest';
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type ObjectName,
  type Resource,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Operation } from '#shared/domain/plan.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { CreatedTraces } from './created-traces.ts';
import { cannotBeUndone, isCurrent, isSeenCurrent, NotingReader } from './view-check.ts';

const uid = asUid('uid-of-etl-a');
const target = { namespace: 'default', name: 'etl-a' };
const itself = { ...target, uid };
const resource = resources.Job;
const remove = { kind: 'delete', resource, target, uid, propagation: 'Background' } as const;
const patch = { kind: 'patch', resource, target, uid, patch: {} } as const;
const resourceVersion = asResourceVersion('5');
const event: Operation = {
  ...({ kind: 'emitEvent', type: 'Normal' } as const),
  ...{ reason: 'Started', action: 'Start', note: 'started', occurrence: '1' },
  regarding: { apiVersion: 'batch/v1', kind: 'Job', ...target, uid },
};
const finalStatus: Operation = {
  ...{ ...patch, kind: 'patchStatus', resourceVersion, status: {}, isFinal: true },
};
const metadata = { name: 'etl-a', namespace: 'default' };
const object = { apiVersion: 'batch/v1', kind: 'Job', metadata };

it.each<[string, boolean, Operation]>([
  ['a create', true, { kind: 'create', resource, object, ownerUid: uid }],
  ['a delete', true, remove],
  ['a delete of one version', false, { ...remove, resourceVersion: asResourceVersion('5') }],
  ['a patch that nothing sets right later', true, { ...patch, isFinal: true }],
  ['any other patch', false, patch],
  ['a status', false, { ...patch, kind: 'patchStatus', resourceVersion, status: {} }],
  ['a status that others act on', true, finalStatus],
  ['an Event', false, event],
])('%s asks whether the view is behind: %s', (_, asks, operation) => {
  expect(cannotBeUndone([[patch], [operation]])).toBe(asks);
});

it('one write in a stage that cannot be undone is enough to ask', () => {
  expect(cannotBeUndone([[patch, remove]])).toBe(true);
  expect(cannotBeUndone([])).toBe(false);
});

it.each<[string, boolean, Partial<KubeObject['metadata']> | undefined]>([
  ['is the version that was read', true, {}],
  ['is a later version', false, { resourceVersion: asResourceVersion('6') }],
  ['is another object of that name', false, { uid: asUid('another') }],
  ['is gone', false, undefined],
])('what was read is current when the object %s: %s', async (_, current, change) => {
  const stored = { ...object, metadata: { ...metadata, uid, resourceVersion, ...change } };
  const none = () => Promise.resolve([]);
  const get = () => Promise.resolve(change === undefined ? undefined : stored);
  const fresh: Reader = { get, list: none, listByOwner: none, listByOwners: none };
  const key = { apiVersion: 'batch/v1', kind: 'Job', ...target, uid };
  expect(await isCurrent(resourceVersion, fresh, resource, key)).toBe(current);
});

it('passes on what is read otherwise, with what was asked', async () => {
  const asked: unknown[] = [];
  const all = (...what: readonly unknown[]) => {
    asked.push(what);
    return Promise.resolve([]);
  };
  const reader = { get: async () => undefined, list: all, listByOwner: all, listByOwners: all };
  const clock = { monotonicMs: () => 0 };
  const noting = new NotingReader(reader, { kind: resources.JobFlow, followed: [] }, itself, clock);
  const owner = { namespace: 'default', uid };
  expect(await noting.list(resource)).toEqual([]);
  expect(await noting.listByOwner(resource, owner)).toEqual([]);
  expect(await noting.listByOwners(resource, owner, [uid])).toEqual([]);
  expect(asked).toEqual([[resource], [resource, owner], [resource, owner, [uid]]]);
});

it('notes the version of the one object, and of no other that is read on the way', async () => {
  const versions = new Map([
    ['default/etl', '5'],
    ['default/other', '6'],
    ['elsewhere/etl', '7'],
  ]);
  const reader: Reader = {
    get: (_, name) => Promise.resolve(stored(name)),
    list: () => Promise.resolve([]),
    listByOwner: () => Promise.resolve([]),
    listByOwners: () => Promise.resolve([]),
  };
  const stored = ({ namespace, name }: ObjectName): KubeObject => {
    const resourceVersion = asResourceVersion(versions.get(`${namespace}/${name}`) ?? '1');
    return { ...object, metadata: { name, namespace, uid, resourceVersion } };
  };
  let nowMs = 0;
  const clock = { monotonicMs: () => (nowMs += 10) };
  const noting = new NotingReader(
    reader,
    { kind: resources.JobFlow, followed: [] },
    { namespace: 'default', name: 'etl', uid },
    clock,
  );
  expect([noting.version, noting.askedAtMs]).toEqual([undefined, -Infinity]);
  expect(noting.servedByServerAtMs).toBe(-Infinity);
  await noting.get(resources.JobFlow, { namespace: 'default', name: 'etl' });
  for (const [kind, namespace, name] of [
    [resources.JobFlow, 'default', 'other'],
    [resources.JobFlow, 'elsewhere', 'etl'],
    [resources.Job, 'default', 'etl'],
  ] as const) {
    await noting.get(kind, { namespace, name });
    expect([noting.version, noting.askedAtMs]).toEqual(['5', 10]);
  }
});

it.each([
  ['in this run', 10, 10],
  ['in a run before', 9, -Infinity],
  ['never', undefined, -Infinity],
])('an answer of the API server that was asked for %s counts from %s on', async (_, ms, from) => {
  const none = () => Promise.resolve([]);
  const reader: Reader = {
    get: () => Promise.resolve({ ...object, metadata: { ...metadata, uid, resourceVersion } }),
    list: none,
    listByOwner: none,
    listByOwners: none,
    servedAtMs: () => ms,
  };
  const watched = { kind: resource, followed: [] };
  const noting = new NotingReader(reader, watched, itself, { monotonicMs: () => 10 });
  await noting.get(resource, target);
  expect(noting.servedByServerAtMs).toBe(from);
});

describe('what own writes show of the views', () => {
  const { JobFlow, Job, Pod } = resources;
  const asOf = new Map<Resource, number>([
    [JobFlow, 4_000],
    [Job, 5_000],
  ]);
  const reader: Reader = {
    get: async () => undefined,
    list: async () => [],
    listByOwner: async () => [],
    listByOwners: async () => [],
    currentAsOfMs: (of) => asOf.get(of) ?? -Infinity,
  };
  const watched = { kind: JobFlow, followed: [JobFlow, Job, Pod] };
  const noting = () => new NotingReader(reader, watched, itself, { monotonicMs: () => 0 });

  it('is noted at the first read: what is heard of later need not be in what was read', async () => {
    const noted = noting();
    await noted.get(JobFlow, target);
    asOf.set(JobFlow, 4_500);
    await noted.get(JobFlow, target);
    expect(noted.currentAsOfMs(JobFlow)).toBe(4_000);
    asOf.set(JobFlow, 4_000);
  });

  it.each([
    ['a second ago', [JobFlow, Job], 5_000, true],
    ['longer ago than a second', [JobFlow, Job], 5_001, false],
    ['of a resource that shows nothing', [Job, Pod], 5_000, false],
  ])('is the state of a moment ago: %s: %s', async (_, resources, nowMs, isCurrent) => {
    const noted = noting();
    await noted.get(JobFlow, target);
    expect(isSeenCurrent(noted, resources, nowMs)).toBe(isCurrent);
  });

  it('is of the moment that the views were read at, where they are those of another process', async () => {
    const roots: string[] = [];
    const remembered = { traces: ['a'], isWhole: true };
    const ofMoment: Reader = { ...reader, currentAsOfMs: () => 7_000, onceThere: () => remembered };
    const ofOneMoment = async (root: string) => {
      roots.push(root);
      return ofMoment;
    };
    const apart = {
      ...reader,
      get: () => Promise.reject(new Error('another moment')),
      ofOneMoment,
    };
    const noted = new NotingReader(apart, watched, itself, { monotonicMs: () => 0 });
    await noted.get(JobFlow, target);
    await noted.listByOwner(Job, { namespace: 'default', uid });
    expect(roots).toEqual([uid]);
    expect(noted.currentAsOfMs(Job)).toBe(7_000);
    expect(noted.onceThere(Job, uid)).toEqual(remembered);
  });

  it('include what the process itself has created, also without any other memory', () => {
    const created = new CreatedTraces({ monotonicMs: () => 0 });
    const knowing = (from: Reader): NotingReader =>
      new NotingReader(from, { ...watched, created }, itself, { monotonicMs: () => 0 });
    const remembering = { ...reader, onceThere: () => ({ traces: ['a'], isWhole: true }) };
    expect(knowing(reader).onceThere(Job, uid)).toBeUndefined();
    created.add(uid, [
      { done: 'create', resource: Job, name: 'b' },
      { done: 'adopt', resource: Job, name: 'c' },
      { done: 'delete', resource: Job, name: 'd' },
      { done: 'create', resource: resources.Event, name: 'e' },
    ]);
    expect(knowing(reader).onceThere(Job, uid)).toEqual({ traces: ['b', 'c'], isWhole: false });
    const all = { traces: ['a', 'b', 'c'], isWhole: true };
    expect(knowing(remembering).onceThere(Job, uid)).toEqual(all);
    expect(knowing(reader).onceThere(Job, asUid('another'))).toBeUndefined();
  });

  it('let the function know of each resource whether it is current', async () => {
    const clock = { monotonicMs: () => 5_500 };
    const noted = new NotingReader(reader, watched, itself, clock);
    expect(noted.isCurrent(Job)).toBe(false);
    await noted.get(JobFlow, target);
    expect([Job, JobFlow, Pod].map((of) => noted.isCurrent(of))).toEqual([true, false, false]);
  });

  it('is not current by what was to be seen before a plan of this process failed', async () => {
    const clock = { monotonicMs: () => 5_200 };
    const created = new CreatedTraces(clock);
    const opened = async (): Promise<boolean> => {
      const noted = new NotingReader(reader, { ...watched, created }, itself, clock);
      await noted.get(JobFlow, target);
      return noted.isCurrent(Job);
    };
    expect(await opened()).toBe(true);
    created.fail(asUid('another'));
    expect(await opened()).toBe(true);
    created.fail(uid);
    expect(await opened()).toBe(false);
  });

  it('is nothing before a read', () => {
    expect(isSeenCurrent(noting(), [JobFlow], 4_000)).toBe(false);
  });
});
