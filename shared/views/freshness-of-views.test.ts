import { describe, expect, it } from 'vitest';
import { asResourceVersion, asUid, type Resource, type Uid } from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, node, ownedBy } from '#shared/domain/testing/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { keepOfJob } from '#shared/subscription/keep.ts';
import { createMemoryViews } from './memory-views.ts';
import { StoredViewReader } from './stored-view-reader.ts';
import { owner, root, a, b, entry, itself, aFunction } from './testing/reading-function.ts';
import { isNote, listRoot, noteKey, ofAnotherHistory, type ViewReading } from './view-store.ts';

const { JobFlow, JobTemplate, Job, Node } = resources;

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
