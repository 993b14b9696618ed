/**
 * Expressions that are evaluated for each pair of numbers in a list, and the longest list that they
 * allow.
 */
import type { Json, JsonObject } from '#shared/domain/objects.ts';

/** The value of `self`: `l` has the numbers below `count`. */
export function costSubject(count: number): Readonly<Record<string, Json>> {
  return {
    l: Array.from({ length: count }, (_, at) => at),
    k: ['a', 'b', 'c'],
    s: 'abcdefghijklmnopqrstuvwxyz',
    m: { a: 'b' },
    o: { a: 1 },
  };
}

/** The API server's estimate is for the longest list, and must stay within the limits as well. */
export function costSchema(expression: string, longest: number): JsonObject {
  const short = { type: 'string', maxLength: 3 };
  return {
    type: 'object',
    properties: {
      l: { type: 'array', maxItems: longest, items: { type: 'integer' } },
      k: { type: 'array', maxItems: 3, items: short },
      s: { type: 'string', maxLength: 30 },
      m: { type: 'object', maxProperties: 2, additionalProperties: short },
      o: { type: 'object', properties: { a: { type: 'integer' } } },
    },
    'x-kubernetes-validations': [
      { rule: `self.l.all(x, self.l.all(y, ${expression}))`, message: 'is false' },
    ],
  };
}

/** The longest list within the limit of one call, by expression. */
export const costLimits: Readonly<Record<string, number>> = {
  'x + y >= 0': 377,
  'x == y || x != y': 333,
  'has(self.o) && self.o.a >= 0': 353,
  '(x > y ? x : y) >= 0': 377,
  '[x, y].size() == 2': 242,
  "{'a': x}.size() == 1": 166,
  'x in [y] || true': 249,
  "self.s.matches('^a.*z$')": 301,
  "self.k.exists(z, z == 'b')": 218,
  "self.k.map(z, z + 'x').size() == 3": 141,
  "self.s.replace('a', 'b') != ''": 301,
  'optional.of(x).optMap(z, z + 1).hasValue()': 277,
};
