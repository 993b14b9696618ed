import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { applyPatch } from './apply-patch.ts';
import { at, fieldsByOwner, object, schema } from './merge-cases.ts';
import { trackUpdate, type UpdateInput } from './track-update.ts';

const track = (
  before: JsonObject | undefined,
  after: JsonObject,
  more: Partial<UpdateInput> = {},
): JsonObject =>
  trackUpdate({ before, after, schema, manager: 'm', subresource: '', time: at(1), ...more });
const created = track(undefined, object({ size: 1, labels: { a: '1' }, tags: ['t'] }));
const entries = (of: JsonObject) => (of['metadata'] as JsonObject)['managedFields'] as JsonObject[];

it('gives all fields of a new object to who created it, but those of the system and the status', () => {
  const made = track(
    undefined,
    object({ size: 1, ports: [{ port: 1 }] }, { status: { phase: 'x' } }),
  );
  expect(entries(made)).toEqual([
    {
      manager: 'm',
      operation: 'Update',
      apiVersion: 'example.com/v1',
      time: at(1),
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:spec': {
          '.': {},
          'f:size': {},
          'f:ports': { '.': {}, 'k:{"port":1,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
        },
      },
    },
  ]);
});

it('does nothing when nothing has changed: the same object, entries and times', () => {
  expect(track(created, { ...created }, { time: at(2) })['metadata']).toBe(created['metadata']);
});

it('takes changed fields from their owner, and removed ones from all managers', () => {
  const after = { ...created, spec: { size: 2, tags: ['t', 'u'] } };
  const updated = track(created, after, { manager: 'n', time: at(2) });
  expect(fieldsByOwner(updated)).toEqual({
    'm Update': { 'f:spec': { '.': {}, 'f:tags': { '.': {}, 'v:"t"': {} } } },
    'n Update': { 'f:spec': { 'f:size': {}, 'f:tags': { 'v:"u"': {} } } },
  });
  expect(entries(updated).map(({ time }) => time)).toEqual([at(1), at(2)]);
});

it('keeps the time of a writer who only removes', () => {
  const rest = { size: 1, tags: ['t'] };
  const [entry] = entries(track(created, { ...created, spec: rest }, { time: at(2) }));
  expect(entry?.['time']).toBe(at(1));
});

it('shares the entries and branches that a write does not touch', () => {
  const second = track(
    created,
    { ...created, spec: { ...(created['spec'] as JsonObject), size: 5 } },
    { manager: 'n' },
  );
  const status = { ...second, status: { phase: 'x' } };
  const third = track(second, status, { manager: 'c', subresource: 'status' });
  expect(entries(third)[1]).toBe(entries(second)[0]);
  expect(entries(third)[2]).toBe(entries(second)[1]);
});

it('gives nothing but the status to a write of the status', () => {
  const after = object({ size: 9 }, { status: { phase: 'x' } });
  const { 'm Update status': mine } = fieldsByOwner(
    track(created, after, { subresource: 'status' }),
  );
  expect(mine).toEqual({ 'f:status': { '.': {}, 'f:phase': {} } });
});

it('gives the status to who writes the object when it has no endpoint of its own', () => {
  const after = { ...created, status: { phase: 'x' } };
  expect(
    fieldsByOwner(track(created, after, { manager: 'n', hasStatus: false }))['n Update'],
  ).toEqual({
    'f:status': { '.': {}, 'f:phase': {} },
  });
});

it('leaves an untracked object alone', () => {
  const bare = object({ size: 1 });
  const after = object({ size: 2 });
  expect(track(bare, after)).toBe(after);
});

it('takes the owners that the request brings, and those of the live object when it brings none', () => {
  const sent = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
  const send = (managedFields: readonly JsonObject[]): JsonObject =>
    track(created, { ...created, metadata: { name: 'w', managedFields } });
  expect(fieldsByOwner(send([{ ...sent, fieldsV1: { 'f:spec': {} } }]))).toEqual({
    'x Update': { 'f:spec': {} },
  });
  expect(entries(send([{ ...sent, operation: 'Guess' }]))).toEqual(entries(created));
  expect(entries(send([{ ...sent, fieldsV1: { 'k:no': {} } }]))).toEqual(entries(created));
  expect(entries(send([{}]))).toBeUndefined();
});

it('names a writer without a name', () => {
  const made = track(undefined, object({ size: 1 }), { manager: '' });
  expect(Object.keys(fieldsByOwner(made))).toEqual(['unknown Update']);
});

it('makes one of the oldest when more than ten have updated', () => {
  let live = created;
  for (const manager of 'abcdefghijk') {
    const labels = { ...(live['spec'] as { labels: JsonObject }).labels, [manager]: manager };
    const after = { ...live, spec: { ...(live['spec'] as JsonObject), labels } };
    live = track(live, after, { manager, time: at(2) });
  }
  expect(Object.keys(fieldsByOwner(live))).toHaveLength(10);
  expect(Object.keys(fieldsByOwner(live))).toContain('ancient-changes Update');
});

it('drops the owners of an object whose items cannot be named, as the API server does', () => {
  expect(entries(track(created, object({ tags: [{}] as never })))).toBeUndefined();
});

const specs = fc.record(
  {
    size: fc.integer({ min: 0, max: 2 }),
    labels: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2')),
    tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')),
    args: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    ports: fc.uniqueArray(
      fc.record({ port: fc.integer({ min: 1, max: 3 }), note: fc.constantFrom('a', 'b') }),
      {
        selector: ({ port }) => port,
      },
    ),
  },
  { requiredKeys: [] },
);

it('gives each change one updater, also when another manager had the field', () => {
  fc.assert(
    fc.property(specs, specs, (first, second) => {
      const applied = applyPatch({
        ...{ live: undefined, applied: object(first), schema, manager: 'a', force: false },
        ...{ subresource: '', time: at(1) },
      });
      const after = { ...applied, spec: second };
      const updated = track(applied, after, { manager: 'u', time: at(2) });
      // A manager that has changed nothing since then can apply the result of the update without a
      // conflict only if the values agree. Applying the new values again is never a conflict.
      const again = applyPatch({
        ...{ live: updated, applied: object(second), schema, manager: 'b', force: false },
        ...{ subresource: '', time: at(3) },
      });
      expect(again['spec']).toEqual(second);
      expect(track(updated, { ...updated })['metadata']).toBe(updated['metadata']);
    }),
  );
});
