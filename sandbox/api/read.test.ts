import { expect, test } from 'vitest';
import { refusal } from '../apimachinery/testing/refusal.ts';
import { configMap, Fixture } from './testing/fixture.ts';

function filled(options: ConstructorParameters<typeof Fixture>[0] = {}): Fixture {
  const api = new Fixture(options);
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    api.create(
      'configmaps',
      configMap(name, {}, { labels: { name, tier: name < 'c' ? '1' : '2' } }),
    );
  }
  return api;
}

test.each([
  ['name=a', ['a']],
  ['name==a', ['a']],
  ['name!=a', ['b', 'c', 'd', 'e']],
  ['name in (a, b)', ['a', 'b']],
  ['name notin (a,b)', ['c', 'd', 'e']],
  ['tier', ['a', 'b', 'c', 'd', 'e']],
  ['!tier', []],
  ['absent!=x', ['a', 'b', 'c', 'd', 'e']],
  ['tier>1', ['c', 'd', 'e']],
  ['tier<2,name!=a', ['b']],
])('label selector %s', (labelSelector, names) => {
  expect(filled().names('configmaps', { labelSelector })).toEqual(names);
});

test.each([
  ['a===b', "unable to parse requirement: found '=', expected: identifier"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
])('label selector %s is refused', (labelSelector, message) => {
  const error = refusal(() => filled().names('configmaps', { labelSelector }));
  expect([error.code, error.message]).toEqual([400, message]);
});

test('field selectors know names, namespaces and what a kind declares', () => {
  const api = filled();
  api.create('serviceaccounts', { metadata: { name: 'default' } });
  expect(api.names('configmaps', { fieldSelector: 'metadata.name=b' })).toEqual(['b']);
  expect(
    api.names('configmaps', { fieldSelector: 'metadata.name!=b,metadata.namespace=default' }),
  ).toHaveLength(4);
  api.create('pods', {
    metadata: { name: 'p' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  });
  expect(api.names('pods', { fieldSelector: 'spec.nodeName=n,status.phase=Pending' })).toEqual([
    'p',
  ]);
  expect(refusal(() => api.list('configmaps', { fieldSelector: 'spec.foo=b' })).message).toBe(
    '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
  expect(refusal(() => api.list('pods', { fieldSelector: 'spec.foo=b' })).message).toBe(
    'field label not supported: spec.foo',
  );
});

test('pages show the state of the first page, whatever happens in between', () => {
  const api = filled();
  const first = api.list('configmaps', { limit: 2 });
  expect(first.metadata.remainingItemCount).toBe(3);
  api.do('delete', 'configmaps', { name: 'c' });
  api.create('configmaps', configMap('bb'));
  api.merge('configmaps', 'd', { data: { x: '1' } });
  const second = api.list('configmaps', { limit: 9, continue: first.metadata.continue ?? '' });
  expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['c', 'd', 'e']);
  expect(second.items[1]).not.toHaveProperty('data');
  expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  expect(second.metadata.continue).toBeUndefined();
});

test('a page whose state is forgotten is expired', () => {
  const api = filled({ historySize: 3 });
  const { metadata } = api.list('configmaps', { limit: 1 });
  for (let count = 0; count < 5; count += 1)
    api.merge('configmaps', 'a', { data: { x: String(count) } });
  const error = refusal(() => api.list('configmaps', { continue: metadata.continue ?? '' }));
  expect([error.code, error.reason]).toEqual([410, 'Expired']);
});

test('an exact resourceVersion shows the past, one of the future is refused', () => {
  const api = filled();
  const resourceVersion = String(api.sandbox.store.revision);
  api.do('delete', 'configmaps', { name: 'a' });
  const exact = { resourceVersion, resourceVersionMatch: 'Exact' } as const;
  expect(api.names('configmaps', exact)).toHaveLength(5);
  expect(api.names('configmaps', { resourceVersion })).toHaveLength(4);
  const error = refusal(() => api.list('configmaps', { resourceVersion: '99999999' }));
  expect([error.code, error.message]).toEqual([
    504,
    `Timeout: Too large resource version: 99999999, current: ${api.sandbox.store.revision}`,
  ]);
});
