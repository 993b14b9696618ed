import { describe, expect, it } from 'vitest';
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type Resource,
  resourceKey,
  type Uid,
} from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, node, ownedBy, pod } from '#shared/domain/testing/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { keepOfJob, keepOfPod } from '#shared/subscription/keep.ts';
import { createMemoryViews } from './memory-views.ts';
import { StoredViewReader } from './stored-view-reader.ts';
import {
  entryKey,
  isNote,
  listRoot,
  noteKey,
  ofAnotherHistory,
  type ViewEntry,
  type ViewReading,
} from './view-store.ts';

const { DaemonJob, JobFlow, JobTemplate, Job, Node, Pod } = resources;
const owner = flow({ name: 'f', uid: 'f-uid', version: '3' });
const root = { namespace: 'default', uid: owner.metadata.uid };
const name = { namespace: 'default', name: 'f' };
const a = job({ name: 'a', uid: 'a', version: '4', metadata: ownedBy(owner) });
const b = job({ name: 'b', uid: 'b', version: '5', metadata: ownedBy(owner) });
const ofA = pod({ name: 'a-x', uid: 'a-x', version: '6', metadata: ownedBy(a) });

const entry = (object: KubeObject, resource: Resource = Job): ViewEntry => ({
  key: entryKey(resourceKey(resource), object.metadata.uid),
  version: object.metadata.resourceVersion,
  content: JSON.stringify(object),
});
const itself = (version: string): ViewEntry => ({
  key: entryKey(resourceKey(JobFlow), owner.metadata.uid),
  version: asResourceVersion(version),
  content: '',
});

function aFunction() {
  const clock = virtualClock(1_000_000);
  const store = createMemoryViews({ clock });
  const asked: string[] = [];
  const failures: unknown[] = [];
  const state = {
    flow: owner as KubeObject | undefined,
    away: false,
    isOurs: true,
    /** Runs while a view is being read. */
    meanwhile: undefined as (() => void) | undefined,
  };
  const server: Reader = {
    get: async ({ plural }, { name: wanted }) => {
      asked.push(`get ${plural} ${wanted}`);
      return plural === 'jobflows' ? state.flow : undefined;
    },
    list: async ({ plural }) => {
      asked.push(`list all ${plural}`);
      return [];
    },
    listByOwner: async ({ plural }) => {
      asked.push(`list ${plural}`);
      return [];
    },
    listByOwners: async ({ plural }) => {
      asked.push(`list ${plural}`);
      return [];
    },
  };
  const reads: (number | undefined)[] = [];
  const reader = new StoredViewReader({
    store: {
      read: async (uid, known) => {
        if (state.away) throw new Error('away');
        const reading = await store.read(uid, known);
        state.meanwhile?.();
        reads.push(reading?.entries.length);
        return reading;
      },
      note: async (...asked) => {
        if (state.away) throw new Error('away');
        return store.note(...asked);
      },
      notes: async (uid) => {
        if (state.away) throw new Error('away');
        return store.notes(uid);
      },
    },
    seal: {
      open: (content) => (state.isOurs ? content : undefined),
      close: (content) => content,
    },
    server,
    decides: [JobFlow, DaemonJob],
    children: [
      { resource: Job, keep: keepOfJob },
      { resource: Pod, keep: keepOfPod },
    ],
    listed: [Node],
    clock,
    onFailure: (error) => failures.push(error),
  });
  const write = async (...entries: readonly ViewEntry[]): Promise<void> => {
    await store.hold('bridge', false);
    await store.write('bridge', [{ root: root.uid, isWhole: true, entries }]);
  };
  return { clock, store, reader, write, asked, failures, state, reads };
}

describe('children of what a function decides about', () => {
  it('come from the API server when they are asked for as they are now', async () => {
    const { reader, write, asked } = aFunction();
    await write(entry(a));
    const now = { fieldSelector: 'status.successful=0' };
    expect(await reader.listByOwner(Job, root, now)).toEqual([]);
    expect(asked).toEqual(['list jobs']);
  });

  it('come from the views, by their controllers, without a request', async () => {
    const { reader, write, asked } = aFunction();
    const foreign = job({ name: 'x', uid: 'x', metadata: ownedBy(flow({ uid: 'other' })) });
    await write(entry(a), entry(b), entry(foreign), entry(ofA, Pod), itself('3'));
    expect(await reader.listByOwner(Job, root)).toEqual([a, b]);
    expect(await reader.listByOwners(Pod, root, [a.metadata.uid])).toEqual([ofA]);
    expect(await reader.listByOwners(Pod, root, [b.metadata.uid])).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('come from the API server while the views lack their owner', async () => {
    const { reader, asked } = aFunction();
    await reader.listByOwner(Job, root);
    await reader.listByOwners(Pod, root, []);
    expect(asked).toEqual(['list jobs', 'list pods']);
  });

  it('are read on from where they were read last', async () => {
    const { reader, write, reads } = aFunction();
    await write(entry(a), entry(b));
    await reader.listByOwner(Job, root);
    await write({ ...entry(a), version: asResourceVersion('9'), content: JSON.stringify(b) });
    await reader.listByOwner(Job, root);
    await reader.listByOwner(Job, root);
    expect(reads).toEqual([2, 1, 0]);
  });

  it('are gone when the views say so', async () => {
    const { reader, write } = aFunction();
    await write(entry(a), entry(b));
    await reader.listByOwner(Job, root);
    const { key } = entry(a);
    await write({ key, version: asResourceVersion('8') });
    expect(await reader.listByOwner(Job, root)).toEqual([b]);
  });

  it('are found by name, and asked for where the views do not have them', async () => {
    const { reader, write, asked } = aFunction();
    await write(entry(a));
    await reader.listByOwner(Job, root);
    const find = (wanted: string, controller?: string) =>
      reader.get(
        Job,
        { namespace: 'default', name: wanted },
        controller === undefined ? undefined : asUid(controller),
      );
    expect(await find('a', root.uid)).toEqual(a);
    await find('b', root.uid);
    await find('a', 'another-owner');
    await find('a');
    expect(asked).toEqual(['get jobs b', 'get jobs a', 'get jobs a']);
  });
});

describe('what a function decides about', () => {
  it('is asked for once, and again when the views have another version of it', async () => {
    const { reader, write, asked, state } = aFunction();
    await write(itself('3'));
    const first = await reader.get(JobFlow, name);
    expect(await reader.get(JobFlow, name)).toBe(first);
    state.flow = flow({ name: 'f', uid: 'f-uid', version: '7' });
    await write(itself('7'));
    expect(await reader.get(JobFlow, name)).toBe(state.flow);
    expect(asked).toEqual(['get jobflows f', 'get jobflows f']);
  });

  it('is remembered for the two hundred that were read last', async () => {
    const { reader, store, asked, state } = aFunction();
    await store.hold('bridge', false);
    const read = async (index: number): Promise<void> => {
      const found = flow({ name: `f${index}`, uid: `uid-${index}`, version: '3' });
      state.flow = found;
      const { uid, resourceVersion: version } = found.metadata;
      const key = entryKey(resourceKey(JobFlow), uid);
      const entries = [{ key, version, content: '' }];
      await store.write('bridge', [{ root: uid, isWhole: true, entries }]);
      expect(await reader.get(JobFlow, { namespace: 'default', name: `f${index}` })).toEqual(found);
    };
    for (let index = 0; index <= 200; index += 1) await read(index);
    asked.length = 0;
    for (const index of [200, 1, 0]) await read(index);
    expect(asked).toEqual(['get jobflows f0']);
  });

  it('is of the kind that is asked for, where another kind has an object of the name', async () => {
    const { reader, write } = aFunction();
    await write(itself('3'));
    const found = await reader.get(JobFlow, name);
    const other = { ...flow({ name: 'f', uid: 'd-uid', version: '9' }), kind: 'DaemonJob' };
    await reader.written.of(DaemonJob)?.write(other);
    expect(await reader.get(JobFlow, name)).toBe(found);
    expect(await reader.get(DaemonJob, name)).toBeUndefined();
  });

  it('is as this process wrote it last, before the views show that', async () => {
    const { reader, write, asked } = aFunction();
    await write(itself('3'));
    await reader.get(JobFlow, name);
    await reader.get(JobFlow, name);
    const written = flow({ name: 'f', uid: 'f-uid', version: '8', status: { state: 'Running' } });
    await reader.written.of(JobFlow)?.write(written);
    expect(await reader.get(JobFlow, name)).toBe(written);
    expect(asked).toEqual(['get jobflows f']);
  });

  it('is not known by a view that was read before this process wrote it', async () => {
    const { reader, write, asked, state } = aFunction();
    await write(itself('3'));
    await reader.get(JobFlow, name);
    const written = flow({ name: 'f', uid: 'f-uid', version: '8', status: { state: 'Running' } });
    state.flow = written;
    state.meanwhile = () => void reader.written.of(JobFlow)?.write(written);
    expect(await reader.get(JobFlow, name)).toBe(written);
    state.meanwhile = undefined;
    expect(await reader.get(JobFlow, name)).toBe(written);
    expect(asked).toEqual(['get jobflows f', 'get jobflows f']);
  });

  it('is as this process wrote it last, although an older answer of the API server arrives later', async () => {
    const { reader, write } = aFunction();
    await write(itself('3'));
    await reader.get(JobFlow, name);
    await reader.get(JobFlow, name);
    const asking = reader.get(JobFlow, name, undefined, 'now');
    const written = flow({ name: 'f', uid: 'f-uid', version: '8', status: { state: 'Running' } });
    await reader.written.of(JobFlow)?.write(written);
    expect(await asking).toBe(owner);
    expect(await reader.get(JobFlow, name)).toBe(written);
  });

  it('is asked for when it is to be as it is now', async () => {
    const { reader, write, asked } = aFunction();
    await write(itself('3'));
    await reader.get(JobFlow, name);
    await reader.get(JobFlow, name, undefined, 'now');
    expect(asked).toHaveLength(2);
  });

  it('is asked for when the views lack it, as after the loss of their data', async () => {
    const { reader, write, asked, store } = aFunction();
    await write(itself('3'));
    await reader.get(JobFlow, name);
    store.clear();
    await reader.get(JobFlow, name);
    expect(asked).toHaveLength(2);
  });

  it('is not known by a version of another history', async () => {
    const { reader, write, asked, store, state } = aFunction();
    await write(itself('3'));
    state.flow = flow({ name: 'f', uid: 'f-uid', version: '9' });
    await reader.get(JobFlow, name);
    await reader.get(JobFlow, name);
    state.flow = flow({ name: 'f', uid: 'f-uid', version: '5' });
    await store.hold('after the restore', true);
    await store.write('after the restore', [
      { root: root.uid, isWhole: true, entries: [itself('5')] },
    ]);
    expect(await reader.get(JobFlow, name)).toBe(state.flow);
    expect(await reader.get(JobFlow, name)).toBe(state.flow);
    expect(asked).toHaveLength(3);
  });

  it('is asked for when it is another one of the same name', async () => {
    const { reader, write, state } = aFunction();
    await write(itself('3'));
    await reader.get(JobFlow, name);
    state.flow = flow({ name: 'f', uid: 'next-uid', version: '12' });
    await write({ key: itself('3').key, version: asResourceVersion('11') });
    expect(await reader.get(JobFlow, name)).toBe(state.flow);
    state.flow = undefined;
    expect(await reader.get(JobFlow, name)).toBeUndefined();
  });

  it('is asked for when nothing was asked for long: by answers a process knows the time', async () => {
    const { reader, write, asked, clock } = aFunction();
    await write(itself('3'));
    await reader.get(JobFlow, name);
    await clock.advance(5_000);
    await write();
    await reader.get(JobFlow, name);
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await reader.get(JobFlow, name);
    expect(asked).toHaveLength(2);
  });

  it('says when the API server was asked for it, and that it was not', async () => {
    const { reader, write, clock, state } = aFunction();
    await write(itself('3'));
    await clock.advance(700);
    const served = await reader.get(JobFlow, name);
    expect(reader.servedAtMs(served!)).toBe(700);
    await reader.written.of(JobFlow)?.write(state.flow!);
    expect(reader.servedAtMs(flow())).toBeUndefined();
  });
});

describe('views that cannot be read', () => {
  it('are left alone for a second, and everything is asked of the API server', async () => {
    const { reader, write, asked, failures, clock, state } = aFunction();
    await write(entry(a));
    state.away = true;
    await reader.listByOwner(Job, root);
    state.away = false;
    await reader.listByOwner(Job, root);
    expect(asked).toEqual(['list jobs', 'list jobs']);
    expect(failures).toHaveLength(1);
    await clock.advance(1_000);
    expect(await reader.listByOwner(Job, root)).toEqual([a]);
  });

  it('are not believed when another process has written them', async () => {
    const { reader, write, asked, failures, state } = aFunction();
    await write(entry(a));
    state.isOurs = false;
    await reader.listByOwner(Job, root);
    expect(asked).toEqual(['list jobs']);
    expect(String(failures[0])).toContain('not sealed with a key of this process');
  });
});

describe('a child that this process wrote', () => {
  const created = job({
    name: 'c',
    uid: 'c',
    version: '8',
    metadata: { ...ownedBy(owner), labels: { [labels.ownerUid]: root.uid } },
    spec: { template: {} },
  });
  const kept = keepOfJob(created);
  const started = async () => {
    const parts = aFunction();
    await parts.write(entry(a));
    await parts.reader.listByOwner(Job, root);
    await parts.reader.written.of(Job)?.write(created);
    return parts;
  };

  it('is there before the views show it, as they would keep it', async () => {
    const { reader, asked } = await started();
    expect(await reader.listByOwner(Job, root)).toEqual([a, kept]);
    expect(await reader.get(Job, { namespace: 'default', name: 'c' }, root.uid)).toEqual(kept);
    expect(asked).toEqual([]);
  });

  it('is as the views show it as soon as they know its version', async () => {
    const { reader, write } = await started();
    const done = { ...kept, status: { succeeded: 1 } };
    const older = { ...kept, status: { active: 1 } };
    await write({ ...entry(older), version: asResourceVersion('7') });
    expect(await reader.listByOwner(Job, root)).toContainEqual(kept);
    await write({ ...entry(done), version: asResourceVersion('9') });
    expect(await reader.listByOwner(Job, root)).toEqual([a, done]);
  });

  it('is gone when the views say so, although they never showed it (own-children-2)', async () => {
    const { reader, write } = await started();
    const { key, version } = entry(created);
    await write({ key, version });
    expect(await reader.listByOwner(Job, root)).toEqual([a]);
  });

  it('counts for a moment only (own-children-5)', async () => {
    const { reader, clock } = await started();
    await clock.advance(2_001);
    expect(await reader.listByOwner(Job, root)).toEqual([a]);
  });

  it('counts in the life of the root alone in which it was written (own-children-1)', async () => {
    const { reader, store } = await started();
    await store.hold('another bridge', true);
    const whole = { root: root.uid, isWhole: true, entries: [entry(a)] };
    await store.write('another bridge', [whole]);
    expect(await reader.listByOwner(Job, root)).toEqual([a]);
  });

  it('is gone with its own removal', async () => {
    const { reader } = await started();
    reader.written.of(Job)?.forget('default', 'c', created.metadata.uid);
    expect(await reader.listByOwner(Job, root)).toEqual([a]);
  });

  it('does not come back by a view that is behind, once it has removed it (own-children-3)', async () => {
    const { reader, write, clock } = await started();
    await write(entry(b));
    reader.written.of(Job)?.forget('default', 'b', b.metadata.uid);
    expect(await reader.listByOwner(Job, root)).toEqual([a, kept]);
    await clock.advance(2_001);
    expect(await reader.listByOwner(Job, root)).toEqual([a, b]);
  });

  it('takes the place of another one of its name that a view still has (own-children-4)', async () => {
    const { reader, write } = await started();
    const before = job({ name: 'c', uid: 'c-before', version: '6', metadata: ownedBy(owner) });
    await write(entry(before));
    expect(await reader.listByOwner(Job, root)).toEqual([a, kept]);
    const after = job({ name: 'c', uid: 'c-after', version: '9', metadata: ownedBy(owner) });
    await write(entry(after));
    expect(await reader.listByOwner(Job, root)).toEqual([a, after]);
  });

  it('is left to the views where the root is not known, or such children are not kept', async () => {
    const { reader, write } = aFunction();
    await reader.written.of(Job)?.write(created);
    await write(entry(a));
    expect(await reader.listByOwner(Job, root)).toEqual([a]);
    expect(reader.written.of(Node)).toBeUndefined();
  });
});

describe('a round of deciding', () => {
  it('takes what it decides about and its children from one reading of the views', async () => {
    const { reader, write, reads, asked } = aFunction();
    await write(itself('3'), entry(a));
    await reader.get(JobFlow, name);
    const round = await reader.ofOneMoment(root.uid);
    await write(entry(b));
    expect(await round.get(JobFlow, name)).toBe(owner);
    expect(await round.listByOwner(Job, root)).toEqual([a]);
    expect(await round.listByOwners(Pod, root, [a.metadata.uid])).toEqual([]);
    expect(reads).toHaveLength(1);
    expect(asked).toEqual(['get jobflows f']);
  });

  it('reads children anew once the API server gave their owner: they must not be older', async () => {
    const { reader, write } = aFunction();
    await write(itself('3'), entry(a));
    const round = await reader.ofOneMoment(root.uid);
    await write(entry(b));
    await round.get(JobFlow, name);
    expect(await round.listByOwner(Job, root)).toEqual([a, b]);
  });

  it('asks the API server where the views lack the root at that moment', async () => {
    const { reader, write, asked } = aFunction();
    const round = await reader.ofOneMoment(root.uid);
    await write(itself('3'), entry(a));
    await round.listByOwner(Job, root);
    expect(asked).toEqual(['list jobs']);
  });
});

describe('how current the views show themselves to be', () => {
  const metadata = { ...ownedBy(owner), labels: { [labels.ownerUid]: root.uid } };
  const created = job({ name: 'c', uid: 'c', version: '8', metadata });
  const written = flow({ name: 'f', uid: 'f-uid', version: '9' });
  const shown = async (reader: StoredViewReader, of: Resource) =>
    (await reader.ofOneMoment(root.uid)).currentAsOfMs?.(of);
  const started = async () => {
    const parts = aFunction();
    await parts.write(itself('3'), entry(a));
    await parts.reader.listByOwner(Job, root);
    return parts;
  };

  it('is nothing before they show an own write', async () => {
    const { reader } = await started();
    expect(await shown(reader, Job)).toBe(-Infinity);
    await reader.written.of(Job)?.write(created, 400);
    expect(await shown(reader, Job)).toBe(-Infinity);
  });

  it('is when the latest own write was sent that they show, of each resource for itself (own-echo-2)', async () => {
    const { reader, write } = await started();
    await reader.written.of(Job)?.write(created, 400);
    await reader.written.of(JobFlow)?.write(written, 600);
    await write(entry(created));
    expect(await shown(reader, Job)).toBe(400);
    expect(await shown(reader, JobFlow)).toBe(-Infinity);
    await write(itself('8'));
    expect(await shown(reader, JobFlow)).toBe(-Infinity);
    await write(itself('9'));
    expect(await shown(reader, JobFlow)).toBe(600);
  });

  it('is shown by the end of what was written as well', async () => {
    const { reader, write } = await started();
    await reader.written.of(Job)?.write(created, 400);
    await write({ key: entry(created).key, version: asResourceVersion('12') });
    expect(await shown(reader, Job)).toBe(400);
  });

  it('is not shown by what may have been committed long before it was asked for', async () => {
    const { reader, write } = await started();
    await reader.written.of(Job)?.write(created);
    await write(entry(created));
    expect(await shown(reader, Job)).toBe(-Infinity);
  });

  it('is of what was read for the round, not of what was read since', async () => {
    const { reader, write } = await started();
    await reader.written.of(Job)?.write(created, 400);
    const round = await reader.ofOneMoment(root.uid);
    await write(entry(created));
    await reader.listByOwner(Job, root);
    expect(round.currentAsOfMs?.(Job)).toBe(-Infinity);
  });

  it('is not shown in another life of the root (own-echo-1)', async () => {
    const { reader, store } = await started();
    await reader.written.of(JobFlow)?.write(written, 600);
    await store.hold('another bridge', true);
    const whole = { root: root.uid, isWhole: true, entries: [itself('10')] };
    await store.write('another bridge', [whole]);
    expect(await shown(reader, JobFlow)).toBe(-Infinity);
  });
});

describe('children that were there and are not in sight', () => {
  const metadata = { ...ownedBy(owner), labels: { [labels.ownerUid]: root.uid } };
  const created = job({ name: 'c', uid: 'c', version: '8', metadata });
  const outOfSight = async (reader: StoredViewReader) =>
    (await reader.ofOneMoment(root.uid)).onceThere?.(Job, root.uid)?.traces;
  const started = async () => {
    const parts = aFunction();
    await parts.write(itself('3'), entry(a));
    expect(await outOfSight(parts.reader)).toEqual([]);
    return parts;
  };
  const noted = async (store: { read: (uid: Uid) => Promise<ViewReading | undefined> }) =>
    (await store.read(root.uid))?.entries.flatMap(({ key }) => (isNote(key) ? [key] : []));

  it('are those that were noted where the views lack their owner', async () => {
    const { reader, store } = aFunction();
    expect(await outOfSight(reader)).toEqual([]);
    await reader.written.of(Job)?.write(created, 400);
    expect(await outOfSight(reader)).toEqual(['c']);
    await store.hold('another bridge', true);
    expect(await outOfSight(reader)).toEqual(['c']);
  });

  it('are unknown where notes may be of another history: the status has to record everything at once', async () => {
    const { reader, store } = await started();
    await reader.written.of(Job)?.write(created, 400);
    await store.hold(ofAnotherHistory('bridge'), true);
    expect(await outOfSight(reader)).toBeUndefined();
  });

  it('are known, with those in sight, to who looks past the views', async () => {
    const { reader, store, asked } = await started();
    await store.note(root.uid, [
      { key: noteKey('jobs.batch', 'b'), version: asResourceVersion('9'), content: 'b' },
    ]);
    asked.length = 0;
    const past = await reader.mostRecent.ofOneMoment?.(root.uid);
    expect(past?.onceThere?.(Job, root.uid)?.traces).toEqual(['b', a.metadata.name]);
    expect(past?.onceThere?.(Job, asUid('another'))).toBeUndefined();
    await past?.listByOwner(Job, { namespace: 'default', uid: root.uid });
    expect(asked).toEqual(['list jobs']);
    // Creates on the basis of this read are noted too.
    await reader.written.of(Job)?.write(created, 400);
    expect(await noted(store)).toContain(noteKey('jobs.batch', 'c'));
  });

  it('are those that this process created and that the views do not show', async () => {
    const { reader, write, clock, store } = await started();
    await reader.written.of(Job)?.write(created, 400);
    expect(await noted(store)).toEqual([noteKey('jobs.batch', 'c')]);
    expect(await outOfSight(reader)).toEqual([]);
    await clock.advance(2_001);
    expect(await outOfSight(reader)).toEqual(['c']);
    await write(entry(created));
    expect(await outOfSight(reader)).toEqual([]);
    await write({ key: entry(created).key, version: asResourceVersion('12') });
    expect(await outOfSight(reader)).toEqual(['c']);
  });

  it('are those that another process noted', async () => {
    const { reader, store } = await started();
    const version = asResourceVersion('9');
    await store.note(root.uid, [
      { key: noteKey('jobs.batch', 'a'), version, content: 'a' },
      { key: noteKey('jobs.batch', 'b'), version, content: 'b' },
      { key: noteKey('pods', 'p'), version, content: 'p' },
    ]);
    expect(await outOfSight(reader)).toEqual(['b']);
  });

  it('are unknown until a note that no store accepted has been written (own-note-2)', async () => {
    const { reader, state, clock, store, write } = await started();
    state.away = true;
    await reader.written.of(Job)?.write(created, 400);
    expect(await outOfSight(reader)).toBeUndefined();
    state.away = false;
    expect(await outOfSight(reader)).toBeUndefined();
    await clock.advance(1_000);
    await write(entry(created));
    expect(await outOfSight(reader)).toEqual([]);
    expect(await noted(store)).toEqual([noteKey('jobs.batch', 'c')]);
  });

  it('are not noted for an owner whose status records everything at once', async () => {
    const { reader, store, write, state, clock } = aFunction();
    state.away = true;
    expect(await outOfSight(reader)).toBeUndefined();
    state.away = false;
    await clock.advance(1_000);
    await reader.written.of(Job)?.write(created, 400);
    await write(itself('3'));
    expect(await noted(store)).toEqual([]);
  });

  it('are not believed when another process has noted them', async () => {
    const { reader, store, state, failures } = await started();
    await store.note(root.uid, [
      { key: noteKey('jobs.batch', 'x'), version: asResourceVersion('9'), content: 'x' },
    ]);
    state.isOurs = false;
    expect(await outOfSight(reader)).toBeUndefined();
    expect(String(failures[0])).toContain('not sealed with a key of this process');
  });
});

describe('the list of a resource', () => {
  const machine = node({ name: 'n', uid: 'n' });

  it('comes from the views where the bridge keeps it, without a request', async () => {
    const { reader, store, write, asked } = aFunction();
    expect(await reader.list(Node)).toEqual([]);
    expect(asked).toEqual(['list all nodes']);
    asked.length = 0;
    await write(entry(a));
    const entries = [entry(machine, Node)];
    await store.write('bridge', [{ root: listRoot(Node), isWhole: true, entries }]);
    expect(await reader.list(Node)).toEqual([machine]);
    expect(asked).toEqual([]);
    expect(await reader.list(Node, 'now')).toEqual([]);
    expect(asked).toEqual(['list all nodes']);
  });

  it('comes from the API server where no view keeps it', async () => {
    const { reader, asked } = aFunction();
    await reader.list(JobTemplate);
    expect(asked).toEqual(['list all jobtemplates']);
  });
});

/** A reader that remembers this many objects, with the generations that it knew at each read. */
function boundedReader(maxEntries = 3) {
  const clock = virtualClock();
  const store = createMemoryViews({ clock });
  const reads: (string | undefined)[] = [];
  const reader = new StoredViewReader({
    store: {
      read: async (uid, known) => {
        reads.push(known?.generation);
        return store.read(uid, known);
      },
      note: async () => undefined,
      notes: async () => [],
    },
    seal: { open: (content) => content, close: (content) => content },
    server: { get: async () => undefined } as unknown as Reader,
    decides: [JobFlow],
    children: [{ resource: Job, keep: keepOfJob }],
    listed: [],
    clock,
    onFailure: (error) => {
      throw error;
    },
    maxEntries,
  });
  const readOf = (uid: string) =>
    reader.listByOwner(Job, { namespace: 'default', uid: asUid(uid) });
  return { store, reads, readOf };
}

describe('what is remembered', () => {
  it('is bounded: the roots that were read last', async () => {
    const { store, reads, readOf } = boundedReader();
    await store.hold('s', false);
    for (const uid of ['r1', 'r2', 'r3']) {
      await store.write('s', [{ root: asUid(uid), isWhole: true, entries: [entry(a), entry(b)] }]);
      await readOf(uid);
    }
    reads.length = 0;
    for (const uid of ['r3', 'r1']) await readOf(uid);
    expect(reads).toEqual(['s.3', undefined]);
  });

  it('has no fewer roots than the bound has room for', async () => {
    const { store, reads, readOf } = boundedReader(5);
    await store.hold('s', false);
    for (const uid of ['r1', 'r2', 'r3']) {
      await store.write('s', [{ root: asUid(uid), isWhole: true, entries: [entry(a), entry(b)] }]);
      await readOf(uid);
    }
    reads.length = 0;
    for (const uid of ['r2', 'r1']) await readOf(uid);
    expect(reads).toEqual(['s.2', undefined]);
  });

  it('has the root that was read last also where that one alone is beyond the bound', async () => {
    const { store, reads, readOf } = boundedReader();
    await store.hold('s', false);
    const many = ['a', 'b', 'c', 'd'].map((name) =>
      entry(job({ name, uid: name, metadata: ownedBy(owner) })),
    );
    await store.write('s', [{ root: asUid('r1'), isWhole: true, entries: many }]);
    await readOf('r1');
    await readOf('r1');
    expect(reads).toEqual([undefined, 's.1']);
  });
});
