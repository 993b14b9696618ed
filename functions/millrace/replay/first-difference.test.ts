import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stableJson } from '#shared/domain/hash.ts';
import type { Json } from '#shared/domain/objects.ts';
import { firstDifference } from './first-difference.ts';

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

it('values differ when their JSON with sorted members does', () => {
  fc.assert(
    fc.property(json, fc.option(json), (before, other) => {
      const after = other ?? (JSON.parse(JSON.stringify(before)) as Json);
      const isSame = stableJson(before) === stableJson(after);
      expect(firstDifference(before, after) === undefined).toBe(isSame);
    }),
  );
});

it.each<readonly [Json, Json, ReturnType<typeof firstDifference>]>([
  [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, undefined],
  [{ a: 1, b: undefined as never }, { a: 1 }, undefined],
  [{ a: 1 }, { a: 1, b: 2 }, { path: 'b', before: undefined, after: 2 }],
  [[{ a: 1 }, 2], [{ a: 1 }], { path: '1', before: 2, after: undefined }],
  [
    { b: { c: 1 }, a: [1, 3] },
    { b: { c: 2 }, a: [1, 2] },
    { path: 'a.1', before: 3, after: 2 },
  ],
  [{ toString: 1 }, {}, { path: 'toString', before: 1, after: undefined }],
])('of %j and %j it is %j', (before, after, difference) => {
  expect(firstDifference(before, after)).toEqual(difference);
});
