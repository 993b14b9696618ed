import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '#shared/domain/objects.ts';
import { createContentStore, rememberedMs, restoreContents } from './journal-snapshot.ts';

function store() {
  const contents = new Map<string, Json>();
  const puts: string[] = [];
  const journal = {
    putContent: async (hash: string, content: Json) => {
      puts.push(hash);
      contents.set(hash, content);
    },
    getContent: async (hash: string) => contents.get(hash),
  };
  const contentStore = createContentStore(journal);
  const extract = (value: Json, monotonicMs: number) => contentStore.extract(value, monotonicMs);
  return { contents, puts, journal, extract };
}
const big = (text: string): Json => ({ note: text.repeat(600) });

it('leaves a small spec where it is', async () => {
  const { extract, puts } = store();
  const value = { spec: { a: 1 }, list: [{ spec: 'text' }] };
  expect(await extract(value, 0)).toEqual(value);
  expect(puts).toEqual([]);
});

it('replaces large specs at any depth, equal ones by the same hash', async () => {
  const { extract, puts } = store();
  const value = { flow: { spec: big('a') }, jobs: [{ spec: big('a') }, { spec: big('b') }] };
  const extracted = JSON.stringify(await extract(value, 0));
  expect(extracted).not.toContain('aaa');
  expect(new Set(puts).size).toBe(2);
  expect(puts).toHaveLength(2);
});

it('gives equal content with another order of members the same hash', async () => {
  const { extract, puts } = store();
  const text = 'x'.repeat(600);
  await extract({ spec: { a: text, b: 1 } }, 0);
  await extract({ spec: { b: 1, a: text } }, 0);
  expect(puts).toHaveLength(1);
});

it('stores a content again after a while, so that a lost one comes back', async () => {
  const { extract, puts } = store();
  await extract({ spec: big('a') }, 0);
  await extract({ spec: big('a') }, rememberedMs - 1);
  expect(puts).toHaveLength(1);
  await extract({ spec: big('a') }, rememberedMs);
  expect(puts).toHaveLength(2);
});

it('leaves a reference whose content is lost', async () => {
  const { extract, journal, contents } = store();
  const extracted = await extract({ spec: big('a') }, 0);
  contents.clear();
  expect(await restoreContents(extracted, journal)).toEqual(extracted);
});

it('can be undone for any value', async () => {
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('spec', 'a', 'b'), tie('node')),
      fc.record({ spec: fc.record({ long: fc.string({ minLength: 600, maxLength: 700 }) }) }),
    ),
  })).node as fc.Arbitrary<Json>;
  await fc.assert(
    fc.asyncProperty(value, async (original) => {
      const { extract, journal } = store();
      const plain = JSON.parse(JSON.stringify(original)) as Json;
      expect(await restoreContents(await extract(plain, 0), journal)).toEqual(plain);
    }),
  );
});
