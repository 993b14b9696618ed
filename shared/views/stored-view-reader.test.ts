import { describe, expect, it } from 'vitest';
import { asResourceVersion, asUid, resourceKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, ownedBy } from '#shared/domain/testing/objects.ts';
import {
  owner,
  root,
  name,
  a,
  b,
  ofA,
  entry,
  itself,
  aFunction,
} from './testing/reading-function.ts';
import { entryKey } from './view-store.ts';

const { DaemonJob, JobFlow, Job, Pod } = resources;

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
