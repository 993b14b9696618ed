import { expect, it } from 'vitest';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { parseJson, parseWorkItem } from './stored-item.ts';

const item: WorkItem = {
  function: 'flow-advance',
  key: { apiVersion: 'v1', kind: 'Job', namespace: 'n', name: 'one', uid: asUid('u1') },
  cause: asEventId('u1.7'),
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

it('returns an item as it was stored', () => {
  const stored: unknown = JSON.parse(JSON.stringify(item));
  expect(parseWorkItem(stored, 'flow-advance')).toEqual(item);
});

it.each(['apiVersion', 'kind', 'namespace', 'name', 'uid'])(
  'refuses an item whose %s is no text',
  (field) => {
    const stored = { ...item, key: { ...item.key, [field]: 7 } };
    expect(parseWorkItem(stored, 'flow-advance')).toBeUndefined();
  },
);

it('leaves out a trace that is no text: it is worth no lost item', () => {
  const stored = { ...item, traceparent: { a: 1 } };
  const { traceparent, ...rest } = item;
  expect(traceparent).toBeDefined();
  expect(parseWorkItem(stored, 'flow-advance')).toStrictEqual(rest);
});

it('keeps nothing that is not part of an item', () => {
  const stored = { ...item, spec: { image: 'evil' }, key: { ...item.key, token: 'x' } };
  expect(parseWorkItem(stored, 'flow-advance')).toEqual(item);
});

it.each([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'item'],
  ['an item without a key', { ...item, key: undefined }],
  ['an item without a cause', { ...item, cause: undefined }],
  ['an item with an empty uid', { ...item, key: { ...item.key, uid: '' } }],
  ['an item of another function', { ...item, function: 'other' }],
])('refuses %s', (_, stored) => {
  expect(parseWorkItem(stored, 'flow-advance')).toBeUndefined();
});

it.each([
  ['{"a":1}', { a: 1 }],
  ['null', null],
  [null, null],
  [undefined, null],
  ['{"a":', undefined],
  ['', undefined],
])('reads the text %j of a store, which need not be JSON', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
