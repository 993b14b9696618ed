import { expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { jsonPatch } from './json-patch.ts';

const frozen = (value: JsonObject): JsonObject => {
  Object.values(value).forEach((member) => typeof member === 'object' && Object.freeze(member));
  return Object.freeze(value);
};
const doc = frozen({ spec: { a: 1, list: ['x', 'y'] }, status: { b: 2 } });

it('writes into a copy and shares what it does not touch', () => {
  const patched = jsonPatch(doc, [
    { op: 'test', path: '/spec/a', value: 1 },
    { op: 'add', path: '/spec/list/-', value: 'z' },
    { op: 'remove', path: '/spec/a' },
  ]);
  expect(patched).toEqual({ spec: { list: ['x', 'y', 'z'] }, status: { b: 2 } });
  expect(patched['status']).toBe(doc['status']);
  expect(doc['spec']).toEqual({ a: 1, list: ['x', 'y'] });
});

it.each(['copy', 'move'])('a %s makes a part of its own, which is checked where it lands', (op) => {
  const stored = { from: Object.freeze({ memory: '1Gb' }), to: {} };
  const patched = jsonPatch(stored, [{ op, from: '/from', path: '/to/limits' }]);
  const { limits } = patched['to'] as { readonly limits: object };
  expect(limits).toEqual(stored.from);
  expect(Object.isFrozen(limits)).toBe(false);
});

it('is lenient where the library of the API server is', () => {
  expect(jsonPatch(doc, [{ op: 'replace', path: '/spec/new', value: 1 }])['spec']).toHaveProperty(
    'new',
    1,
  );
  expect(
    jsonPatch(doc, [{ op: 'copy', from: '/spec/no', path: '/spec/c' }])['spec'],
  ).toHaveProperty('c', null);
  expect(jsonPatch(doc, [{ op: 'test', path: '/spec/no', value: null }])).toBe(doc);
});

it.each([
  [{ op: 'remove', path: '/spec/no' }],
  [{ op: 'add', path: '/no/x', value: 1 }],
  [{ op: 'move', from: '/spec/no', path: '/spec/c' }],
  [{ op: 'test', path: '/spec/a', value: 2 }],
  [{ op: 'add', path: '/spec/list/7', value: 1 }],
  [{ op: 'add', path: '/__proto__/x', value: 1 }],
  [{ op: 'leap', path: '/spec/a' }],
  [{ path: '/spec/a' }],
])('refuses what does not apply: %j', (operation) => {
  const message = 'the server rejected our request due to an error in our request';
  const error = new StatusError(422, 'Invalid', message, {});
  expect(() => jsonPatch(doc, [operation])).toThrow(error);
});

it('refuses what is no patch', () => {
  expect(() => jsonPatch(doc, { op: 'add' })).toThrow(
    'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
  );
});
