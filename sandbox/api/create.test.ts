import { expect, test } from 'vitest';
import { refusal } from '../apimachinery/testing/refusal.ts';
import { configMap, Fixture } from './testing/fixture.ts';

test('sets uid, creationTimestamp, resourceVersion and the namespace of the path', () => {
  const api = new Fixture();
  const { metadata } = api.create('configmaps', configMap('a', {}, { uid: 'mine' }));
  expect(metadata.namespace).toBe('default');
  expect(metadata.creationTimestamp).toBe('2026-01-01T00:00:00Z');
  expect(metadata.uid).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(metadata.resourceVersion).toBe(String(api.sandbox.store.revision));
});

test('generates a name of five letters that is not taken', () => {
  const api = new Fixture();
  const { metadata } = api.create('configmaps', { metadata: { generateName: 'gen-' } });
  expect(metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test.each([
  ['a second of one name', configMap('a'), 409, 'configmaps "a" already exists'],
  [
    'no name',
    { metadata: {} },
    422,
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  ],
  [
    'another namespace',
    configMap('x', {}, { namespace: 'other' }),
    400,
    'the namespace of the provided object does not match the namespace sent on the request',
  ],
  [
    'another kind',
    { ...configMap('x'), kind: 'Secret' },
    400,
    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  ],
  [
    'a resourceVersion',
    configMap('x', {}, { resourceVersion: '5' }),
    500,
    'resourceVersion should not be set on objects to be created',
  ],
  [
    'a finalizer without a domain',
    configMap('x', {}, { finalizers: ['foo'] }),
    422,
    'ConfigMap "x" is invalid: metadata.finalizers[0]: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
  ],
  [
    'a bad key',
    configMap('x', { data: { 'a b': '' } }),
    422,
    "ConfigMap \"x\" is invalid: data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  ],
])('refuses %s in the words of the API server', (_, body, code, message) => {
  const api = new Fixture();
  api.create('configmaps', configMap('a'));
  const { revision } = api.sandbox.store;
  const error = refusal(() => api.create('configmaps', body));
  expect([error.code, error.message]).toEqual([code, message]);
  expect(api.sandbox.store.revision).toBe(revision);
});

test('refuses names that are no DNS subdomain', () => {
  const { message } = refusal(() => new Fixture().create('configmaps', configMap('A_b')));
  expect(message).toContain(
    'metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must',
  );
});

test('unknown fields are dropped, reported, or refused', () => {
  const api = new Fixture();
  const body = { ...configMap('a', {}, { bar: 2 }), foo: 1 };
  const warnings: string[] = [];
  const call = api.call('create', 'configmaps', { body });
  const { body: stored } = api.sandbox.api.handleNow(call, (text) => warnings.push(text));
  expect(stored).not.toHaveProperty('foo');
  expect(warnings).toEqual(['unknown field "metadata.bar"', 'unknown field "foo"']);
  const strict = { fieldValidation: 'Strict' } as const;
  expect(refusal(() => api.create('configmaps', body, strict)).message).toBe(
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.bar", unknown field "foo"',
  );
});

test('nothing is created in a namespace that is not there', () => {
  const api = new Fixture();
  const error = refusal(() =>
    api.do('create', 'configmaps', { namespace: 'x', body: configMap('a') }),
  );
  expect([error.code, error.message]).toEqual([404, 'namespaces "x" not found']);
});

test('nothing is created in a namespace that ends', () => {
  const api = new Fixture();
  api.create('namespaces', { metadata: { name: 'n1' } });
  api.do('delete', 'namespaces', { name: 'n1' });
  const error = refusal(() =>
    api.do('create', 'configmaps', { namespace: 'n1', body: configMap('q') }),
  );
  expect(error.code).toBe(403);
  expect(error.message).toBe(
    'configmaps "q" is forbidden: unable to create new content in namespace n1 because it is being terminated',
  );
  expect(error.details?.causes?.[0]?.reason).toBe('NamespaceTerminating');
});

test('a dry run answers the object and stores nothing', () => {
  const api = new Fixture();
  const { metadata } = api.create('configmaps', configMap('a'), { dryRun: true });
  expect(metadata.uid).toBeDefined();
  expect(metadata.resourceVersion).toBeUndefined();
  expect(api.names('configmaps')).toEqual([]);
});

test('a Secret stores stringData as data', () => {
  const body = { metadata: { name: 's' }, stringData: { a: 'b' } };
  const secret = new Fixture().create('secrets', body);
  expect(secret).toMatchObject({ type: 'Opaque', data: { a: 'Yg==' } });
  expect(secret).not.toHaveProperty('stringData');
});

test('a promise that nothing would enforce is refused', () => {
  const body = { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } };
  const error = refusal(() => new Fixture().create('resourcequotas', body));
  expect(error.code).toBe(501);
  expect(error.message).toContain('does not simulate resourcequotas');
});
