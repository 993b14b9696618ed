import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  difference,
  type FieldSet,
  intersection,
  nothing,
  pathsOf,
  pathText,
  union,
  without,
} from './field-set.ts';

const setOf = (paths: readonly (readonly string[])[]): FieldSet =>
  paths.reduce<FieldSet>((set, path) => union(set, chain(path)), nothing);
const chain = ([first = '', ...rest]: readonly string[]): FieldSet => ({
  [first]: rest.length === 0 ? nothing : chain(rest),
});
const textsOf = (set: FieldSet): readonly string[] => pathsOf(set).map(pathText).sort();

const paths = fc.array(
  fc.array(fc.constantFrom('f:a', 'f:b', 'v:1'), { minLength: 1, maxLength: 3 }),
);
const pair = fc.tuple(paths, paths);

it('unites, subtracts and intersects as sets of paths do', () => {
  fc.assert(
    fc.property(pair, ([left, right]) => {
      const [one, other] = [setOf(left), setOf(right)];
      const [has, hasOther] = [new Set(textsOf(one)), new Set(textsOf(other))];
      expect(textsOf(union(one, other))).toEqual([...new Set([...has, ...hasOther])].sort());
      expect(textsOf(difference(one, other))).toEqual(
        [...has].filter((path) => !hasOther.has(path)).sort(),
      );
      expect(textsOf(intersection(one, other))).toEqual(
        [...has].filter((path) => hasOther.has(path)).sort(),
      );
    }),
  );
});

it('returns the set itself when an operation changes nothing', () => {
  fc.assert(
    fc.property(pair, ([left, right]) => {
      const set = setOf([...left, ...right]);
      expect(union(set, setOf(left))).toBe(set);
      expect(difference(set, nothing)).toBe(set);
      expect(without(set, ['f:absent'])).toBe(set);
    }),
  );
});

it('takes a field away with all below it, and keeps an owned parent', () => {
  const set = { 'f:spec': { '.': {}, 'f:a': { 'f:b': {} } } };
  expect(without(set, ['f:spec', 'f:a'])).toEqual({ 'f:spec': {} });
  expect(without(set, ['f:spec'])).toEqual({});
});

it('writes a path as messages do', () => {
  expect(pathText(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:tags', 'v:"x"'])).toBe(
    '.spec.ports[port=80,protocol="TCP"].tags[="x"]',
  );
});
