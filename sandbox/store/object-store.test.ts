import { expect, test } from 'vitest';
import { asUid, type KubeObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { ObjectStore } from './object-store.ts';

const type = { group: '', version: 'v1', plural: 'things', kind: 'Thing' } as ResourceType;

function thing(name: string, owner?: string): KubeObject {
  const reference = { apiVersion: 'v1', kind: 'Thing', name: owner ?? '', uid: asUid(owner ?? '') };
  const metadata = { name, namespace: 'n', uid: asUid(name) };
  const owners = owner === undefined ? {} : { ownerReferences: [reference] };
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { ...metadata, ...owners },
  } as unknown as KubeObject;
}

test('every write takes the next revision, across types', () => {
  const store = new ObjectStore(10);
  const first = store.put(type, thing('a'));
  const second = store.put({ ...type, plural: 'others' }, thing('a'));
  const gone = store.remove(type, 'n', 'a');
  const versions = [first, second, gone].map((object) => object?.metadata.resourceVersion);
  expect(versions).toEqual(['2', '3', '4']);
  expect(store.revision).toBe(4);
});

test('lists by name, whatever the order of creation', () => {
  const store = new ObjectStore(10);
  for (const name of ['c', 'a', 'b']) store.put(type, thing(name));
  store.remove(type, 'n', 'b');
  expect(store.list(type).map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
});

test('stored objects cannot be changed', () => {
  const store = new ObjectStore(10);
  const stored = store.put(type, { ...thing('a'), spec: { list: [{ deep: 1 }] } });
  expect(Object.isFrozen((stored.spec as { list: object[] }).list[0])).toBe(true);
});

test('listeners learn in the order of revisions, also when one of them writes', () => {
  const store = new ObjectStore(10);
  const seen: number[] = [];
  store.onChange(({ object }) => {
    if (object.metadata.name === 'a') store.put(type, thing('b'));
  });
  store.onChange(({ revision }) => seen.push(revision));
  store.put(type, thing('a'));
  expect(seen).toEqual([2, 3]);
});

test('knows the dependents of an owner by uid until they are gone or disowned', () => {
  const store = new ObjectStore(10);
  store.put(type, thing('owner'));
  store.put(type, thing('one', 'owner'));
  store.put(type, thing('two', 'owner'));
  const names = (): readonly string[] =>
    store.dependentsOf('owner').map(({ object }) => object.metadata.name);
  expect(names()).toEqual(['one', 'two']);
  store.remove(type, 'n', 'one');
  store.put(type, thing('two'));
  expect(names()).toEqual([]);
});

test('the history forgets the oldest events and says from where on it is whole', () => {
  const store = new ObjectStore(3);
  for (const name of ['a', 'b', 'c', 'd', 'e']) store.put(type, thing(name));
  expect(store.history.floor).toBe(3);
  expect(store.history.after(3).map(({ revision }) => revision)).toEqual([4, 5, 6]);
});
