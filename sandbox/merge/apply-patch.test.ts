import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { refusal } from '../apimachinery/testing/refusal.ts';
import { type ApplyInput, applyPatch } from './apply-patch.ts';
import { at, fieldsByOwner, object, schema } from './merge-cases.ts';
import { trackUpdate } from './track-update.ts';

const apply = (
  live: JsonObject | undefined,
  spec: JsonObject,
  manager = 'a',
  more: Partial<ApplyInput> = {},
): JsonObject => {
  const applied = object(spec);
  return applyPatch({
    ...{ live, applied, schema, manager, force: false, subresource: '', time: at(1) },
    ...more,
  });
};

it('is a no-op the second time: the very same object', () => {
  const words = fc.constantFrom('x', 'y', 'z');
  const specs = fc.record(
    {
      size: fc.integer(),
      labels: fc.dictionary(words, words),
      tags: fc.uniqueArray(words),
      args: fc.array(words),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(specs, specs, (first, second) => {
      const live = apply(apply(undefined, first), second, 'b', { force: true });
      expect(apply(live, second, 'b', { time: at(9) })).toBe(live);
    }),
  );
});

it('removes fields that their owner leaves out and no other manager owns', () => {
  const live = apply(
    apply(undefined, { size: 1, labels: { a: '1', b: '1' } }),
    { labels: { b: '1' } },
    'b',
  );
  expect(apply(live, {})['spec']).toEqual({ labels: { b: '1' } });
});

it('leaves null where all members of a map go but the map has another owner, as upstream does', () => {
  const live = apply(apply(undefined, { labels: { a: '1' } }), { labels: {} }, 'b');
  expect(apply(live, {})['spec']).toEqual({ labels: null });
});

it('gives no time to one who agrees with what is there', () => {
  const live = apply(apply(undefined, { size: 1 }), { size: 1 }, 'b');
  const { managedFields } = live['metadata'] as { managedFields: JsonObject[] };
  expect(managedFields.map(({ manager, time }) => [manager, time])).toEqual([
    ['b', undefined],
    ['a', at(1)],
  ]);
});

it('refuses to take one field from another, naming both', () => {
  const live = apply(undefined, { ports: [{ port: 1, note: 'x' }] });
  const error = refusal(() => apply(live, { ports: [{ port: 1, note: 'y' }] }, 'b'));
  const field = '.spec.ports[port=1,protocol="TCP"].note';
  expect([error.code, error.reason]).toEqual([409, 'Conflict']);
  expect(error.message).toBe(`Apply failed with 1 conflict: conflict with "a": ${field}`);
  const message = 'conflict with "a"';
  expect(error.details).toEqual({ causes: [{ reason: 'FieldManagerConflict', message, field }] });
});

it('lists the fields of several owners in one refusal', () => {
  const first = apply(undefined, { size: 1, labels: { x: '1' } });
  const after = { ...first, spec: { size: 1, labels: { x: '2' } }, status: { s: 1 } };
  const shared = { before: first, after, schema, manager: 'u', time: at(2) };
  const live = trackUpdate({ ...shared, subresource: '' });
  expect(refusal(() => apply(live, { size: 2, labels: { x: '3' } }, 'b')).message).toBe(
    [
      'Apply failed with 2 conflicts: conflicts with "a":',
      '- .spec.size',
      'conflicts with "u" using example.com/v1:',
      '- .spec.labels.x',
    ].join('\n'),
  );
});

it('takes all of it by force', () => {
  const live = apply(apply(undefined, { size: 1, args: ['x'] }), { size: 2 }, 'b', { force: true });
  expect(fieldsByOwner(live)).toEqual({
    'a Apply': { 'f:spec': { 'f:args': {} } },
    'b Apply': { 'f:spec': { 'f:size': {} } },
  });
});

it('gives what was there before anybody was tracked an owner of its own', () => {
  const live = apply(object({ size: 1, args: ['x'] }), { args: ['x'] });
  expect(Object.keys(fieldsByOwner(live))).toEqual(['a Apply', 'before-first-apply Update']);
});

it('refuses what the schema does not know, with the words and the code of the API server', () => {
  const error = refusal(() => apply(undefined, { nope: 1, size: 'x' }));
  expect([error.code, error.reason]).toEqual([500, '']);
  expect(error.message).toBe(
    'failed to create typed patch object (/w; example.com/v1, Kind=Widget): .spec.nope: field not declared in schema',
  );
});

it('refuses an object that brings its own owners', () => {
  const applied = { ...object({}), metadata: { name: 'w', managedFields: [] } };
  expect(refusal(() => apply(undefined, {}, 'a', { applied })).message).toBe(
    'metadata.managedFields must be nil',
  );
});

it('refuses another kind than the live one', () => {
  const applied = { ...object({}), apiVersion: 'v1', kind: 'Pod' };
  const error = refusal(() => apply(apply(undefined, { size: 1 }), {}, 'a', { applied }));
  expect(error.message).toBe('invalid object type: /v1, Kind=Pod');
});
