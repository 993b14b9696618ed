import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/domain/objects.ts';
import { applied, difference, type Delta, type DeltaForm } from './delta.ts';

const json = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Json>('a', 'b', '', 0, 1, true, null),
    fc.array(tie('node'), { maxLength: 5 }),
    fc.dictionary(
      fc.constantFrom('name', 'a', 'b', '1', 'env', '__proto__', 'constructor', 'is', 'items'),
      tie('node'),
      { maxKeys: 5, noNullPrototype: true },
    ),
    fc.uniqueArray(fc.record({ name: fc.constantFrom('x', 'y', 'z', 'w'), at: tie('node') }), {
      selector: ({ name }) => name,
    }),
  ),
})).node as fc.Arbitrary<Json>;

describe('difference', () => {
  it('leads from any value to any other, to the byte', () => {
    fc.assert(
      fc.property(json, json, (base, value) => {
        const delta = difference(base, value);
        const stored = JSON.parse(JSON.stringify(delta ?? {})) as Delta;
        const led = delta === undefined ? base : applied(base, stored);
        expect(JSON.stringify(led)).toBe(JSON.stringify(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is none between equal values, whether or not they are the same', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(difference(value, JSON.parse(JSON.stringify(value)) as Json)).toBeUndefined();
      }),
    );
  });

  it('takes a member that is undefined for none', () => {
    const nothing = { b: undefined };
    expect(difference({ a: 1 }, { a: 1, ...nothing })).toBeUndefined();
    expect(difference({ a: 1, ...nothing }, { a: 1 })).toBeUndefined();
  });

  it('has the changed members of an object, and the changed items of a list', () => {
    expect(difference({ a: 1, b: 2, c: 3 }, { a: 1, b: 5 })).toEqual({
      set: { b: { is: 5 } },
      unset: ['c'],
    });
    const names = (...list: string[]) => list.map((name) => ({ name, steps: [name] }));
    expect(difference(names('a', 'b', 'c', 'e'), names('a', 'b', 'c', 'd', 'e'))).toEqual({
      items: [[0, 2], { is: { name: 'd', steps: ['d'] } }, 3],
    });
    expect(difference(names('a', 'b', 'c'), names('b', 'c'))).toEqual({ items: [[1, 2]] });
    expect(difference([{ name: 'a', n: 1 }], [{ name: 'a', n: 2 }])).toEqual({
      items: [[0, { set: { n: { is: 2 } } }]],
    });
  });

  it('has a new order of members', () => {
    expect(difference({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual({ order: ['b', 'a'] });
  });

  it('does not look into a member that is written as a whole', () => {
    const form: DeltaForm = { isWhole: (name) => name === 'env', written: (_name, value) => value };
    const before = { spec: { env: [1, 2, 3], n: 1 } };
    const after = { spec: { env: [1, 2, 4], n: 1 } };
    expect(difference(before, after, form)).toEqual({
      set: { spec: { set: { env: { is: [1, 2, 4] } } } },
    });
    expect(difference(before, structuredClone(before), form)).toBeUndefined();
  });
});

it('refuses a base that it was not made from', () => {
  expect(() => applied([1], { items: [[0, 3]] })).toThrow(RangeError);
  expect(() => applied([], { items: [0] })).toThrow(RangeError);
  expect(() => applied([], { items: [[0, {}]] })).toThrow(RangeError);
});

it('replacement before or after the difference gives the same', () => {
  const hide = (name: string, value: Json): Json => {
    if (name === 'env') return 'hidden';
    if (Array.isArray(value)) return value.map((item: Json) => hide('', item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, of]) => [member, hide(member, of as Json)]),
    );
  };
  fc.assert(
    fc.property(json, json, (base, value) => {
      const delta = difference(base, value, { isWhole: (name) => name === 'env', written: hide });
      const hidden = hide('', base);
      const led = delta === undefined ? hidden : applied(hidden, delta);
      expect(JSON.stringify(led)).toBe(JSON.stringify(hide('', value)));
    }),
    { numRuns: 1_000 },
  );
});
