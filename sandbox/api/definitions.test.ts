import { expect, test } from 'vitest';
import { refusal } from '../apimachinery/testing/refusal.ts';
import { foo, fooDefinition, Fixture } from './testing/fixture.ts';

const definitions = 'customresourcedefinitions.apiextensions.k8s.io';
const foos = 'foos.example.com';

function withFoos(version = {}): Fixture {
  const api = new Fixture();
  api.create(definitions, fooDefinition(version));
  return api;
}

test('a definition is established and served at once', () => {
  const api = withFoos();
  const { status, spec } = api.get(definitions, 'foos.example.com');
  expect(status).toMatchObject({
    conditions: [
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ],
    acceptedNames: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
    storedVersions: ['v1'],
  });
  expect(spec).toMatchObject({ conversion: { strategy: 'None' } });
  expect(api.sandbox.api.types.byKind('example.com', 'v1', 'Foo')?.plural).toBe('foos');
});

test('a name that is not plural and group is refused', () => {
  const body = { ...fooDefinition(), metadata: { name: 'x.example.com' } };
  expect(refusal(() => new Fixture().create(definitions, body)).message).toContain(
    'metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group',
  );
});

test('objects are pruned, defaulted and validated on every write', () => {
  const api = withFoos();
  const warnings: string[] = [];
  const call = api.call('create', foos, { body: foo('f', { zz: 1 }, { other: 1 }) });
  const { body } = api.sandbox.api.handleNow(call, (text) => warnings.push(text));
  expect(body).toMatchObject({ spec: { color: 'red' } });
  expect(warnings).toEqual(['unknown field "other"', 'unknown field "spec.zz"']);
  const causes = refusal(() => api.create(foos, foo('g', { size: 0, color: 5 }))).details?.causes;
  expect(causes?.map(({ message }) => message).sort()).toEqual([
    'Invalid value: "integer": spec.color in body must be of type string: "integer"',
    'Invalid value: 0: spec.size in body should be greater than or equal to 1',
  ]);
  expect(refusal(() => api.merge(foos, 'f', { spec: { size: 0 } })).code).toBe(422);
});

test('another apiVersion or kind is refused as the API server does', () => {
  const api = withFoos();
  expect(
    refusal(() => api.create(foos, { ...foo('f'), apiVersion: 'example.com/v2' })).message,
  ).toBe(
    'the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)',
  );
  expect(refusal(() => api.create(foos, { ...foo('f'), kind: 'Bar' })).message).toBe(
    'Bar.example.com "f" is invalid: kind: Invalid value: "Bar": must be Foo',
  );
});

test('all versions show the same objects', () => {
  const api = new Fixture();
  const one = fooDefinition();
  const [v1] = (one['spec'] as unknown as { versions: object[] }).versions;
  const versions = [v1, { ...v1, name: 'v1beta1', storage: false }];
  api.create(definitions, { ...one, spec: { ...(one['spec'] as object), versions } as never });
  api.create(foos, foo('f'));
  const type = api.sandbox.api.types.byPath('example.com', 'v1beta1', 'foos')!;
  const call = { ...api.call('get', foos, { name: 'f' }), type };
  expect(api.sandbox.api.handleNow(call).body).toMatchObject({ apiVersion: 'example.com/v1beta1' });
});

test('a deleted definition takes its objects along', () => {
  const api = withFoos();
  api.create(foos, foo('f'));
  const lines = api.watch(foos);
  api.do('delete', definitions, { name: 'foos.example.com' });
  expect(lines).toEqual(['ADDED f', 'DELETED f']);
  expect(api.sandbox.api.types.byPath('example.com', 'v1', 'foos')).toBeUndefined();
});

test('columns come from JSONPaths, dates as ages', () => {
  const columns = [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
  const api = withFoos({ additionalPrinterColumns: columns });
  const object = api.create(foos, foo('f', { size: 3 }));
  const { type } = api.call('get', foos);
  expect(type.columns.map(({ name }) => name)).toEqual(['Name', 'Size', 'Ready', 'Age']);
  expect(type.row(object, api.nowMs + 300_000)).toEqual(['f', 3, null, '5m']);
});

test('only what scales has a scale', () => {
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const api = withFoos({ subresources: { status: {}, scale } });
  api.create(foos, foo('f', { replicas: 1 }));
  const body = { spec: { replicas: 4 } };
  const call = { name: 'f', subresource: 'scale', patchKind: 'merge', body } as const;
  expect(api.do('patch', foos, call).body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
  expect(api.get(foos, 'f')).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 2 } });
  const error = refusal(() => api.do('get', 'jobs.batch', { name: 'j', subresource: 'scale' }));
  expect(error.message).toBe('the server could not find the requested resource');
});
