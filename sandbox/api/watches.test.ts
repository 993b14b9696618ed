import { expect, test } from 'vitest';
import { refusal } from '../apimachinery/testing/refusal.ts';
import { configMap, Fixture } from './testing/fixture.ts';

test('from a resourceVersion on, every later change is sent once and in order', () => {
  const api = new Fixture();
  api.create('configmaps', configMap('a'));
  const resourceVersion = String(api.sandbox.store.revision);
  api.merge('configmaps', 'a', { data: { x: '1' } });
  api.create('secrets', { metadata: { name: 's' } });
  const lines = api.watch('configmaps', { resourceVersion });
  api.create('configmaps', configMap('b'));
  api.do('delete', 'configmaps', { name: 'a' });
  expect(lines).toEqual(['MODIFIED a', 'ADDED b', 'DELETED a']);
});

test('without a resourceVersion the present state comes first', () => {
  const api = new Fixture();
  for (const name of ['b', 'a']) api.create('configmaps', configMap(name));
  const lines = api.watch('configmaps');
  api.create('configmaps', configMap('c'));
  expect(lines).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
});

test('a streamed list ends with its bookmark', () => {
  const api = new Fixture();
  api.create('configmaps', configMap('a'));
  const lines = api.watch('configmaps', {
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: true,
  });
  expect(lines).toEqual(['ADDED a', 'BOOKMARK end']);
});

test('an object that enters or leaves the selection is added or deleted', () => {
  const api = new Fixture();
  api.create('configmaps', configMap('a'));
  const lines = api.watch('configmaps', { labelSelector: 'on=1' });
  api.merge('configmaps', 'a', { metadata: { labels: { on: '1' } } });
  api.merge('configmaps', 'a', { data: { x: '1' } });
  api.merge('configmaps', 'a', { metadata: { labels: { on: '2' } } });
  api.merge('configmaps', 'a', { data: { x: '2' } });
  expect(lines).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
});

test('a resourceVersion before the history is too old', () => {
  const api = new Fixture({ historySize: 2 });
  const resourceVersion = String(api.sandbox.store.revision);
  for (const name of ['a', 'b', 'c']) api.create('configmaps', configMap(name));
  const error = refusal(() => api.watch('configmaps', { resourceVersion }));
  expect([error.code, error.reason]).toEqual([410, 'Expired']);
  expect(error.message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
});

test('bookmarks go to the watches that allow them', () => {
  const api = new Fixture();
  const resourceVersion = String(api.sandbox.store.revision);
  const allowed = api.watch('configmaps', { resourceVersion, allowWatchBookmarks: true });
  const others = api.watch('configmaps', { resourceVersion });
  api.sandbox.api.sendBookmarks();
  expect([allowed, others]).toEqual([['BOOKMARK'], []]);
});

test('a watch that is ended hears nothing more', () => {
  const api = new Fixture();
  const lines: string[] = [];
  const end = api.sandbox.api.watch(api.call('watch', 'configmaps'), ({ type }) =>
    lines.push(type),
  );
  end();
  api.create('configmaps', configMap('a'));
  expect(lines).toEqual([]);
});
