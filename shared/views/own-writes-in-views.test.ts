import { describe, expect, it } from 'vitest';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { job, ownedBy } from '#shared/domain/testing/objects.ts';
import { keepOfJob } from '#shared/subscription/keep.ts';
import { owner, root, name, a, b, entry, itself, aFunction } from './testing/reading-function.ts';

const { JobFlow, Job, Node, Pod } = resources;

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
