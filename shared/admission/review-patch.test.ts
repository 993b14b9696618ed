import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { patchBetween } from './review-patch.ts';

const name = fc.constantFrom('a', 'b', 'a/b', 'm~n', '', '0');
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 0, 1, 'x', 'y'),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
  ),
}));
const object = fc.dictionary(name, value, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;

function patched(before: JsonObject, after: JsonObject): unknown {
  const document = JSON.parse(JSON.stringify(before)) as unknown;
  const patch = JSON.parse(JSON.stringify(patchBetween(before, after))) as never[];
  const faults = applyPatch(document, patch).filter((fault) => fault !== null);
  expect(faults).toEqual([]);
  return document;
}

describe('the patch between two objects', () => {
  it('makes the second of the first', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(patched(before, after)).toEqual(JSON.parse(JSON.stringify(after)));
      }),
    );
  });

  it('of an object and itself is empty', () => {
    fc.assert(
      fc.property(object, (same) => {
        const copy = JSON.parse(JSON.stringify(same)) as JsonObject;
        expect(patchBetween(same, copy)).toEqual([]);
      }),
    );
  });

  it('adds to a list instead of replacing it, and changes an item in its place', () => {
    const before = { list: [{ name: 'a', value: 1 }, { name: 'b' }] };
    const after = { list: [{ name: 'a', value: 2 }, { name: 'b' }, { name: 'c' }] };
    expect(patchBetween(before, { list: [...before.list, { name: 'c' }] })).toEqual([
      { op: 'add', path: '/list/2', value: { name: 'c' } },
    ]);
    expect(patched(before, after)).toEqual(after);
    expect(patchBetween(before, { list: [{ name: 'a', value: 2 }, { name: 'b' }] })).toEqual([
      { op: 'replace', path: '/list/0/value', value: 2 },
    ]);
  });

  it('leaves out what is undefined on either side', () => {
    expect(patchBetween({ a: undefined, b: 1 }, { b: 1, c: undefined })).toEqual([]);
  });

  it('of lists of ten thousand items is found without comparing each with each', () => {
    const items = Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index}` }));
    const others = items.map(({ name: its }) => ({ name: `${its}x` }));
    expect(patchBetween({ items }, { items: others })).toHaveLength(10_000);
    expect(patchBetween({ items }, { items: [{ name: 'first' }, ...items] })).toEqual([
      { op: 'add', path: '/items/0', value: { name: 'first' } },
    ]);
  });
});
