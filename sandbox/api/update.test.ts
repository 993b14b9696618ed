import { expect, test } from 'vitest';
import { refusal } from '../apimachinery/testing/refusal.ts';
import { configMap, foo, fooDefinition, Fixture, job } from './testing/fixture.ts';

const put = (api: Fixture, path: string, name: string, body: object) =>
  api.do('update', path, { name, body: body as never }).body;

test('a write that changes nothing takes no revision', () => {
  const api = new Fixture();
  api.create('configmaps', configMap('a', { data: { x: '1' } }));
  const { revision } = api.sandbox.store;
  api.merge('configmaps', 'a', { data: { x: '1' } });
  put(api, 'configmaps', 'a', configMap('a', { data: { x: '1' } }));
  expect(api.sandbox.store.revision).toBe(revision);
});

test('a stale resourceVersion conflicts, of a PUT and of a patch', () => {
  const api = new Fixture();
  api.create('configmaps', configMap('a'));
  const stale = { metadata: { name: 'a', resourceVersion: '1', labels: { a: 'b' } } };
  const text =
    'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again';
  for (const act of [
    () => put(api, 'configmaps', 'a', stale),
    () => api.merge('configmaps', 'a', stale),
  ]) {
    const error = refusal(act);
    expect([error.code, error.reason, error.message]).toEqual([409, 'Conflict', text]);
  }
});

test('a custom resource is replaced only by who names its resourceVersion', () => {
  const api = new Fixture();
  api.create('customresourcedefinitions.apiextensions.k8s.io', fooDefinition());
  api.create('foos.example.com', foo('f'));
  const error = refusal(() => put(api, 'foos.example.com', 'f', foo('f', { size: 2 })));
  expect([error.code, error.message]).toEqual([
    422,
    'foos.example.com "f" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ]);
});

test('uid and name cannot be changed by a patch, stamps of the server are kept silently', () => {
  const api = new Fixture();
  api.create('configmaps', configMap('a'));
  const { uid } = api.get('configmaps', 'a').metadata;
  expect(refusal(() => api.merge('configmaps', 'a', { metadata: { uid: '1' } })).message).toBe(
    'ConfigMap "a" is invalid: metadata.uid: Invalid value: "1": field is immutable',
  );
  expect(refusal(() => api.merge('configmaps', 'a', { metadata: { name: 'b' } })).code).toBe(400);
  const { metadata } = api.merge('configmaps', 'a', {
    metadata: { uid: null, creationTimestamp: null, resourceVersion: null, labels: { n: '1' } },
  });
  expect(metadata).toMatchObject({ uid, creationTimestamp: '2026-01-01T00:00:00Z' });
});

test('generation counts changes of the spec, of built-in and custom kinds', () => {
  const api = new Fixture();
  api.create('customresourcedefinitions.apiextensions.k8s.io', fooDefinition());
  api.create('jobs.batch', job('j'));
  api.create('foos.example.com', foo('j'));
  for (const [path, change] of [
    ['jobs.batch', { parallelism: 2 }],
    ['foos.example.com', { size: 2 }],
  ] as const) {
    expect(api.get(path, 'j').metadata.generation).toBe(1);
    api.merge(path, 'j', { metadata: { labels: { a: 'b' } }, status: { phase: 'x' } });
    api.merge(path, 'j', { status: { active: 1, phase: 'x' } }, { subresource: 'status' });
    expect(api.get(path, 'j').metadata.generation).toBe(1);
    expect(api.merge(path, 'j', { spec: change }).metadata.generation).toBe(2);
  }
});

test('the main resource ignores the status, the status subresource ignores the spec', () => {
  const api = new Fixture();
  api.create('customresourcedefinitions.apiextensions.k8s.io', fooDefinition());
  api.create('foos.example.com', foo('f', { size: 1 }, { status: { phase: 'x' } }));
  expect(api.get('foos.example.com', 'f').status).toBeUndefined();
  api.merge('foos.example.com', 'f', { status: { phase: 'x' } });
  expect(api.get('foos.example.com', 'f').status).toBeUndefined();
  const change = { spec: { size: 9 }, status: { phase: 'y' }, metadata: { labels: { a: 'b' } } };
  const after = api.merge('foos.example.com', 'f', change, { subresource: 'status' });
  expect(after).toMatchObject({ spec: { size: 1 }, status: { phase: 'y' } });
  expect(after.metadata.labels).toBeUndefined();
});

test('all four kinds of patch change what they name and keep the rest', () => {
  const api = new Fixture();
  api.create('configmaps', configMap('a', { data: { x: '1' } }));
  api.merge('configmaps', 'a', { data: { m: '1' } });
  const patch = (patchKind: 'json' | 'strategic' | 'apply', body: object): unknown =>
    api.do('patch', 'configmaps', {
      name: 'a',
      patchKind,
      body: body as never,
      options: { fieldManager: 'me' },
    });
  patch('json', [{ op: 'add', path: '/data/j', value: '1' }]);
  patch('strategic', { data: { s: '1' } });
  patch('apply', configMap('a', { data: { p: '1' } }));
  expect(api.get('configmaps', 'a')['data']).toEqual({ x: '1', m: '1', j: '1', s: '1', p: '1' });
});

test('apply creates what is not there and conflicts over the fields of others', () => {
  const api = new Fixture();
  const apply = (fieldManager: string, x: string, force = false) =>
    api.do('patch', 'configmaps', {
      name: 'a',
      patchKind: 'apply',
      body: configMap('a', { data: { x } }),
      options: { fieldManager, force },
    });
  expect(apply('one', '1').code).toBe(201);
  expect(refusal(() => apply('two', '2')).message).toBe(
    'Apply failed with 1 conflict: conflict with "one": .data.x',
  );
  expect(apply('two', '2', true).body).toMatchObject({ data: { x: '2' } });
});

test('a custom resource takes no strategic merge patch', () => {
  const api = new Fixture();
  api.create('customresourcedefinitions.apiextensions.k8s.io', fooDefinition());
  api.create('foos.example.com', foo('f'));
  const call = { name: 'f', patchKind: 'strategic', body: {} } as const;
  expect(refusal(() => api.do('patch', 'foos.example.com', call)).code).toBe(415);
});
