/** Tests that every adapter of the stored views must pass (view-store-1 to view-store-5). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import {
  entryKey,
  mostGone,
  noteKey,
  ofAnotherHistory,
  type RootWrite,
  type ViewEntry,
  type ViewStore,
  type ViewTimes,
} from '#shared/views/view-store.ts';

export interface ViewsUnderTest {
  readonly store: ViewStore;
  /** FLUSHALL. */
  empty(): Promise<void>;
  /** Lets this time pass, milliseconds. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

const root = asUid('flow-1');
const key = (uid: string): string => entryKey('jobs.batch', asUid(uid));
const child = (uid: string, version: string, content = `content of ${uid}`): ViewEntry => ({
  key: key(uid),
  version: asResourceVersion(version),
  content,
});
const gone = (uid: string, version: string): ViewEntry => ({
  key: key(uid),
  version: asResourceVersion(version),
});
const note = (name: string, content = `note of ${name}`): ViewEntry => ({
  key: noteKey('jobs.batch', name),
  version: asResourceVersion('1'),
  content,
});
const whole = (...entries: readonly ViewEntry[]): RootWrite => ({ root, isWhole: true, entries });
const parts = (...entries: readonly ViewEntry[]): RootWrite => ({ root, isWhole: false, entries });

export function viewsContract(open: (times?: Partial<ViewTimes>) => Promise<ViewsUnderTest>): void {
  let views: ViewsUnderTest;
  let store: ViewStore;
  const use = async (times?: Partial<ViewTimes>): Promise<void> => {
    views = await open(times);
    store = views.store;
  };
  beforeEach(() => use());
  afterEach(() => views.close());

  const entries = async () =>
    (await store.read(root))?.entries.toSorted((left, right) => (left.key < right.key ? -1 : 1));

  describe('one bridge writes at a time (view-store-1)', () => {
    it('gives the store to the first that asks, and to one that takes over', async () => {
      expect(await store.hold('a', false)).toBe(true);
      expect(await store.hold('b', false)).toBe(false);
      expect(await store.write('b', [whole()])).toEqual({ isHeld: false, missing: [] });
      expect(await store.hold('b', true)).toBe(true);
      expect(await store.write('a', [whole()])).toEqual({ isHeld: false, missing: [] });
      expect(await store.read(root)).toBeUndefined();
    });

    it('gives nothing of a session that another one has taken the place of', async () => {
      await store.hold('a', false);
      await store.write('a', [whole(child('j1', '1'))]);
      await store.hold('b', true);
      expect(await store.read(root)).toBeUndefined();
      expect(await store.write('b', [parts(child('j2', '2'))])).toEqual({
        isHeld: true,
        missing: [root],
      });
      await store.write('b', [whole(child('j2', '2'))]);
      expect(await entries()).toEqual([child('j2', '2')]);
    });

    it('gives nothing of a session that was released, by itself or by anybody', async () => {
      for (const session of ['a', undefined]) {
        await store.hold('a', false);
        await store.write('a', [whole(child('j1', '1'))]);
        await store.release('of another bridge');
        expect(await entries()).toEqual([child('j1', '1')]);
        await store.release(session);
        expect(await store.read(root)).toBeUndefined();
      }
    });
  });

  describe('a root is there as a whole or not at all (view-store-2)', () => {
    beforeEach(() => store.hold('a', false));

    it('says which roots are missing, and stores no parts of them', async () => {
      expect(await store.write('a', [parts(child('j1', '1'))])).toEqual({
        isHeld: true,
        missing: [root],
      });
      expect(await store.read(root)).toBeUndefined();
    });

    it('says of a root that is missing so when nothing is to be written', async () => {
      const asked = { root, isWhole: false, entries: [] };
      expect(await store.write('a', [asked])).toEqual({ isHeld: true, missing: [root] });
      await store.write('a', [whole()]);
      expect(await store.write('a', [asked])).toEqual({ isHeld: true, missing: [] });
    });

    it('knows a root without children from one that is missing', async () => {
      await store.write('a', [whole()]);
      expect(await store.read(root)).toMatchObject({ after: 0, upTo: 0, entries: [] });
      expect(await store.read(asUid('flow-2'))).toBeUndefined();
    });

    it('takes several roots in one call', async () => {
      const other = asUid('flow-2');
      const written = await store.write('a', [
        whole(child('j1', '1')),
        { root: other, isWhole: false, entries: [child('k1', '1')] },
        parts(child('j2', '2')),
      ]);
      expect(written).toEqual({ isHeld: true, missing: [other] });
      expect(await entries()).toEqual([child('j1', '1'), child('j2', '2')]);
    });

    it('has nothing after its data is lost', async () => {
      await store.write('a', [whole(child('j1', '1'))]);
      await views.empty();
      expect(await store.read(root)).toBeUndefined();
      expect(await store.write('a', [parts(child('j1', '1'))])).toMatchObject({ isHeld: false });
    });
  });

  describe('the newest version stays (view-store-3)', () => {
    beforeEach(async () => {
      await store.hold('a', false);
      await store.write('a', [whole(child('j1', '9'))]);
    });

    it('compares versions as numbers of any length, in whatever order they come', async () => {
      await store.write('a', [parts(child('j1', '10', 'newer'))]);
      await store.write('a', [parts(child('j1', '9', 'older'))]);
      expect(await entries()).toEqual([child('j1', '10', 'newer')]);
    });

    it('keeps what is gone gone, reported by its end or inferred from its last state', async () => {
      for (const end of ['9', '11']) {
        await store.write('a', [parts(child(`j${end}`, '9'))]);
        await store.write('a', [parts(gone(`j${end}`, end))]);
        await store.write('a', [parts(child(`j${end}`, '9', 'late'))]);
      }
      expect(await entries()).toEqual([child('j1', '9'), gone('j11', '11'), gone('j9', '9')]);
    });

    it('takes one back whose label was taken away and given again', async () => {
      await store.write('a', [parts(gone('j1', '10')), parts(child('j1', '11', 'again'))]);
      expect(await entries()).toEqual([child('j1', '11', 'again')]);
    });

    it('adds to a root of this session what comes as a whole again', async () => {
      await store.write('a', [whole(child('j1', '8', 'older'), child('j2', '3'))]);
      expect(await entries()).toEqual([child('j1', '9'), child('j2', '3')]);
    });

    it('keeps the version alone where there is no content', async () => {
      await store.write('a', [parts(child('flow', '4', ''))]);
      expect(await entries()).toEqual([child('flow', '4', ''), child('j1', '9')]);
    });
  });

  describe('reading on', () => {
    beforeEach(() => store.hold('a', false));

    it('gives what was written after a point, the latest of each entry', async () => {
      await store.write('a', [whole(child('j1', '1'), child('j2', '2'))]);
      const first = await store.read(root);
      expect(await store.read(root, first)).toEqual({ ...first, after: 2, entries: [] });
      await store.write('a', [parts(child('j1', '3')), parts(gone('j2', '4'), child('j1', '5'))]);
      expect(await store.read(root, first)).toEqual({
        generation: first?.generation,
        after: 2,
        upTo: 5,
        entries: [gone('j2', '4'), child('j1', '5')],
      });
    });

    it('gives everything when the root has begun a new life', async () => {
      await store.write('a', [whole(child('j1', '1'))]);
      const first = await store.read(root);
      await store.hold('b', true);
      await store.write('b', [whole(child('j1', '1'), child('j2', '2'))]);
      const second = await store.read(root, first);
      expect(second?.generation).not.toBe(first?.generation);
      expect(second).toMatchObject({ after: 0, entries: [child('j1', '1'), child('j2', '2')] });
    });

    it('begins a new life without what is gone when most of it is', async () => {
      await store.write('a', [whole(child('stays', '1'))]);
      const many = Array.from({ length: mostGone + 1 }, (_, index) => `j${index}`);
      await store.write('a', [parts(...many.map((uid) => child(uid, '2')))]);
      const first = await store.read(root);
      await store.write('a', [parts(...many.map((uid) => gone(uid, '3')))]);
      expect(await store.read(root, first)).toBeUndefined();
      await store.write('a', [whole(child('stays', '1'))]);
      expect(await store.read(root, first)).toMatchObject({
        after: 0,
        entries: [child('stays', '1')],
      });
    });

    it('gives roots with more entries than a call takes arguments', async () => {
      const many = Array.from({ length: 9_000 }, (_, index) => child(`j${index}`, '1'));
      await store.write('a', [whole(...many)]);
      expect((await store.read(root))?.entries).toEqual(many);
    });
  });

  describe('notes stay (view-store-5)', () => {
    it('are read with the entries, the first of each key, and read on from a point', async () => {
      await store.hold('a', false);
      await store.write('a', [whole(child('j1', '1'))]);
      const first = await store.read(root);
      await store.note(root, [note('n1'), note('n2')]);
      await store.note(root, [note('n1', 'again')]);
      expect(await store.read(root, first)).toMatchObject({
        generation: first?.generation,
        entries: [note('n1'), note('n2')],
      });
      expect(await entries()).toEqual([child('j1', '1'), note('n1'), note('n2')]);
    });

    it('outlive a session, and are taken where no session holds the store', async () => {
      expect(await store.notes(root)).toEqual([]);
      await store.note(root, [note('n0')]);
      expect(await store.read(root)).toBeUndefined();
      expect(await store.notes(root)).toEqual([note('n0')]);
      await store.hold('a', false);
      expect(await store.write('a', [parts(child('j1', '1'))])).toMatchObject({ missing: [root] });
      await store.write('a', [whole(child('j1', '1'))]);
      await store.note(root, [note('n1')]);
      await store.hold('b', true);
      await store.note(root, [note('n2')]);
      expect(await store.notes(root)).toEqual([note('n0'), note('n1'), note('n2')]);
      await store.write('b', [whole(child('j2', '2'))]);
      expect(await entries()).toEqual([child('j2', '2'), note('n0'), note('n1'), note('n2')]);
    });

    it('of former sessions mean nothing in another history', async () => {
      await store.hold('a', false);
      await store.write('a', [whole()]);
      await store.note(root, [note('n1')]);
      const restored = ofAnotherHistory('b');
      await store.hold(restored, true);
      expect(await store.notes(root)).toBeUndefined();
      await store.write(restored, [whole(child('j2', '2'))]);
      expect(await entries()).toEqual([child('j2', '2')]);
      await store.note(root, [note('n2')]);
      await store.write(restored, [whole()]);
      expect(await entries()).toEqual([child('j2', '2'), note('n2')]);
      expect(await store.notes(root)).toEqual([note('n2')]);
      await store.hold('c', true);
      expect(await store.notes(root)).toEqual([note('n2')]);
      await store.write('c', [whole()]);
      expect(await entries()).toEqual([note('n2')]);
    });

    it('of an object that was begun with one are of the history that comes next', async () => {
      const restored = ofAnotherHistory('a');
      await store.hold(restored, false);
      expect(await store.notes(root)).toEqual([]);
      await store.note(root, [note('n1')]);
      expect(await store.notes(root)).toEqual([note('n1')]);
      await store.write(restored, [whole()]);
      expect(await entries()).toEqual([note('n1')]);
    });

    it('stay when most of a root is gone', async () => {
      const session = ofAnotherHistory('a');
      await store.hold(session, false);
      await store.write(session, [whole(child('stays', '1'))]);
      await store.note(root, [note('n1')]);
      const many = Array.from({ length: mostGone + 1 }, (_, index) => `j${index}`);
      await store.write(session, [parts(...many.map((uid) => gone(uid, '3')))]);
      expect(await store.read(root)).toBeUndefined();
      expect(await store.notes(root)).toEqual([note('n1')]);
      await store.write(session, [whole(child('stays', '1'))]);
      expect(await entries()).toEqual([child('stays', '1'), note('n1')]);
    });

    it('are lost with all that the store has', async () => {
      await store.note(root, [note('n1')]);
      await views.empty();
      await store.hold('a', false);
      await store.write('a', [whole()]);
      expect(await entries()).toEqual([]);
    });
  });

  describe('abandoned data expires (view-store-4)', () => {
    it('ends a session that is not prolonged, and lets another one begin', async () => {
      await views.close();
      await use({ sessionMs: 300_000 });
      await store.hold('a', false);
      await store.write('a', [whole(child('j1', '1'))]);
      await views.pass(200_000);
      await store.hold('a', false);
      await views.pass(200_000);
      expect(await entries()).toEqual([child('j1', '1')]);
      await views.pass(200_000);
      expect(await store.read(root)).toBeUndefined();
      expect(await store.hold('b', false)).toBe(true);
    });

    it('forgets a root that is neither read nor written', async () => {
      await views.close();
      await use({ unusedMs: 300_000, sessionMs: 3_600_000 });
      await store.hold('a', false);
      await store.write('a', [whole(child('j1', '1'))]);
      await views.pass(200_000);
      expect(await entries()).toEqual([child('j1', '1')]);
      await views.pass(200_000);
      expect(await entries()).toEqual([child('j1', '1')]);
      await views.pass(400_000);
      expect(await store.read(root)).toBeUndefined();
    });
  });
}
