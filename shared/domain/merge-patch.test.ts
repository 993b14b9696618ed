import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stableJson } from './hash.ts';
import { applyMergePatch, jsonEqual, mergePatch } from './merge-patch.ts';
import type { JsonObject } from './objects.ts';

/** A merge patch cannot write null, so no null is generated. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ maxLength: 3 }),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 4 }),
  ),
}));
const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value, {
  maxKeys: 4,
}) as fc.Arbitrary<JsonObject>;

describe('mergePatch (RFC 7386)', () => {
  it('turns one object into the other', () => {
    fc.assert(
      fc.property(object, object, (from, to) => {
        const patched = applyMergePatch(from, mergePatch(from, to) ?? {});
        expect(stableJson(patched)).toBe(stableJson(to));
      }),
    );
  });

  it('is undefined exactly when both are equal', () => {
    fc.assert(
      fc.property(object, object, (from, to) => {
        expect(mergePatch(from, to) === undefined).toBe(jsonEqual(from, to));
        expect(mergePatch(from, structuredClone(from))).toBeUndefined();
      }),
    );
  });

  it('says only what differs; a list is replaced as a whole; what is gone becomes null', () => {
    expect(
      mergePatch({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { a: 1, b: { c: 3 }, e: [1, 2] }),
    ).toEqual({
      b: { c: 3, d: null },
      e: [1, 2],
    });
  });

  it('takes undefined for absent', () => {
    expect(mergePatch({ a: undefined }, {})).toBeUndefined();
    expect(mergePatch({ a: 1 }, { a: undefined })).toEqual({ a: null });
  });
});
