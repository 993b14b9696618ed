import { expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import { asUid, type KubeObject, type Uid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { job } from '#shared/domain/testing/objects.ts';
import { OwnNotes } from './own-notes.ts';

const owner = asUid('f-uid');
const child = (name: string): KubeObject => job({ name, uid: name, version: '4' });

function aProcess() {
  const calls: { readonly keys: readonly string[]; readonly settle: (error?: Error) => void }[] =
    [];
  const state = { isReachable: true };
  const failures: unknown[] = [];
  const notes = new OwnNotes({
    store: {
      note: (_: Uid, asked) =>
        new Promise((resolve, reject) => {
          const settle = (error?: Error): void => (error === undefined ? resolve() : reject(error));
          calls.push({ keys: asked.map(({ key }) => key), settle });
        }),
    },
    seal: { close: (content) => content },
    isReachable: () => state.isReachable,
    onFailure: (error) => failures.push(error),
  });
  const add = (name: string): Promise<void> => notes.add(owner, resources.Job, child(name));
  return { notes, add, calls, state, failures };
}

it('is written before the run that created the child goes on (own-note-1)', async () => {
  const { notes, add, calls } = aProcess();
  let isOver = false;
  const adding = add('a').then(() => (isOver = true));
  await Promise.resolve();
  expect([isOver, notes.isWhole(owner)]).toEqual([false, false]);
  calls[0]?.settle();
  await adding;
  expect([isOver, notes.isWhole(owner)]).toEqual([true, true]);
});

it('says for which machine a Job is', async () => {
  const { notes, calls } = aProcess();
  const { metadata, ...rest } = child('a');
  const labelled = { ...metadata, labels: { [labels.nodeUid]: 'm1' } };
  const adding = notes.add(owner, resources.Job, { ...rest, metadata: labelled });
  calls[0]?.settle();
  await adding;
  expect(calls.map(({ keys }) => keys)).toEqual([['~jobs.batch/a/m1']]);
});

it('goes together with those that came while others were on their way', async () => {
  const { notes, add, calls } = aProcess();
  const adding = ['a', 'b', 'c'].map(add);
  calls[0]?.settle();
  await adding[0];
  expect(calls.map(({ keys }) => keys)).toEqual([
    ['~jobs.batch/a'],
    ['~jobs.batch/b', '~jobs.batch/c'],
  ]);
  expect(notes.isWhole(owner)).toBe(false);
  calls[1]?.settle();
  await Promise.all(adding);
  expect(notes.isWhole(owner)).toBe(true);
});

it('is owed until it is taken, and not asked for while the store is away (own-note-2)', async () => {
  const { notes, add, calls, state, failures } = aProcess();
  const adding = add('a');
  calls[0]?.settle(new Error('away'));
  await adding;
  expect([notes.isWhole(owner), failures.length]).toEqual([false, 1]);
  state.isReachable = false;
  await notes.flush(owner);
  expect(calls).toHaveLength(1);
  state.isReachable = true;
  const flushing = notes.flush(owner);
  calls[1]?.settle();
  await flushing;
  expect(notes.isWhole(owner)).toBe(true);
});

it('knows of an owner whose notes it gave up that they are not whole (own-note-2)', async () => {
  const { notes, add, state } = aProcess();
  state.isReachable = false;
  await add('a');
  for (let each = 0; each < 10_000; each += 1) {
    await notes.add(asUid(`other-${each}`), resources.Job, child('b'));
  }
  expect(notes.isWhole(owner)).toBe(false);
  expect(notes.isWhole(asUid('unknown'))).toBe(true);
});
