import { expect, test } from 'vitest';
import { refusal } from '../apimachinery/testing/refusal.ts';
import { configMap, Fixture, job } from './testing/fixture.ts';

const withFinalizer = (name: string) => configMap(name, {}, { finalizers: ['a.b/c'] });

test('an object without finalizers is gone at once, answered by a Status', () => {
  const api = new Fixture();
  const { uid } = api.create('configmaps', configMap('a')).metadata;
  const details = { name: 'a', kind: 'configmaps', uid };
  expect(api.do('delete', 'configmaps', { name: 'a' }).body).toMatchObject({
    status: 'Success',
    details,
  });
  expect(refusal(() => api.get('configmaps', 'a')).message).toBe('configmaps "a" not found');
});

test('a finalizer keeps it until it is removed; the last removal deletes it', () => {
  const api = new Fixture();
  api.create('configmaps', withFinalizer('a'));
  const lines = api.watch('configmaps', { resourceVersion: String(api.sandbox.store.revision) });
  const kept = api.do('delete', 'configmaps', { name: 'a' }).body as { metadata: object };
  expect(kept.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    finalizers: ['a.b/c'],
  });
  api.merge('configmaps', 'a', { metadata: { finalizers: null } });
  expect(api.names('configmaps')).toEqual([]);
  expect(lines).toEqual(['MODIFIED a', 'DELETED a']);
});

test('no finalizer is added to what is being deleted', () => {
  const api = new Fixture();
  api.create('configmaps', withFinalizer('a'));
  api.do('delete', 'configmaps', { name: 'a' });
  const add = () => api.merge('configmaps', 'a', { metadata: { finalizers: ['a.b/c', 'd.e/f'] } });
  expect(refusal(add).message).toBe(
    'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"d.e/f"}',
  );
});

test.each([
  ['Foreground', ['foregroundDeletion']],
  ['Orphan', ['orphan']],
] as const)(
  '%s deletion leaves the work to the garbage collector',
  (propagationPolicy, finalizers) => {
    const api = new Fixture();
    api.create('configmaps', configMap('a'));
    api.do('delete', 'configmaps', { name: 'a', options: { propagationPolicy } });
    expect(api.get('configmaps', 'a').metadata.finalizers).toEqual(finalizers);
    api.do('delete', 'configmaps', { name: 'a', options: { propagationPolicy: 'Background' } });
    expect(api.names('configmaps')).toEqual([]);
  },
);

test('a Job without a policy orphans its Pods, with a warning', () => {
  const api = new Fixture();
  api.create('jobs.batch', job('j'));
  const warnings: string[] = [];
  api.sandbox.api.handleNow(api.call('delete', 'jobs.batch', { name: 'j' }), (text) =>
    warnings.push(text),
  );
  const { finalizers, generation } = api.get('jobs.batch', 'j').metadata;
  expect([finalizers, generation]).toEqual([['orphan'], 2]);
  expect(warnings[0]).toContain('child pods are preserved by default');
});

test('preconditions name the object that is meant', () => {
  const api = new Fixture();
  const { uid } = api.create('configmaps', configMap('a')).metadata;
  const act = (preconditions: object) => () =>
    api.do('delete', 'configmaps', { name: 'a', options: { preconditions } });
  expect(refusal(act({ uid: 'x' })).message).toBe(
    `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  );
  expect(refusal(act({ resourceVersion: '1' })).code).toBe(409);
  act({ uid })();
  expect(api.names('configmaps')).toEqual([]);
});

test('a Pod on a node ends after its grace period, which may only become shorter', () => {
  const api = Fixture.withAccount();
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  api.create('pods', { metadata: { name: 'p' }, spec });
  api.do('delete', 'pods', { name: 'p' });
  const meta = () => api.get('pods', 'p').metadata;
  expect(meta()).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:30Z',
    deletionGracePeriodSeconds: 30,
    generation: 2,
  });
  api.do('delete', 'pods', { name: 'p', options: { gracePeriodSeconds: 60 } });
  expect(meta().deletionGracePeriodSeconds).toBe(30);
  api.do('delete', 'pods', { name: 'p', options: { gracePeriodSeconds: 5 } });
  expect(meta().deletionTimestamp).toBe('2026-01-01T00:00:05Z');
  api.do('delete', 'pods', { name: 'p', options: { gracePeriodSeconds: 0 } });
  expect(api.names('pods')).toEqual([]);
});

test('a Pod on no node goes at once', () => {
  const api = Fixture.withAccount();
  api.create('pods', {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  api.do('delete', 'pods', { name: 'p' });
  expect(api.names('pods')).toEqual([]);
});

test('a namespace ends when its finalizers are taken off', () => {
  const api = new Fixture();
  api.create('namespaces', { metadata: { name: 'n1' } });
  api.do('delete', 'namespaces', { name: 'n1' });
  const ending = api.get('namespaces', 'n1');
  expect(ending).toMatchObject({
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
  });
  const body = { ...ending, spec: { finalizers: [] } } as never;
  api.do('update', 'namespaces', { name: 'n1', subresource: 'finalize', body });
  expect(api.names('namespaces')).not.toContain('n1');
});

test('the namespaces of every cluster stay', () => {
  const error = refusal(() => new Fixture().do('delete', 'namespaces', { name: 'default' }));
  expect(error.message).toBe(
    'namespaces "default" is forbidden: this namespace may not be deleted',
  );
});

test('a collection is deleted by its selection', () => {
  const api = new Fixture();
  for (const name of ['a', 'b', 'c']) {
    api.create('configmaps', configMap(name, {}, { labels: { keep: String(name === 'b') } }));
  }
  const options = { labelSelector: 'keep=false' };
  expect(api.do('deletecollection', 'configmaps', { options }).body).toMatchObject({
    kind: 'ConfigMapList',
  });
  expect(api.names('configmaps')).toEqual(['b']);
});

test('a dry run deletes nothing', () => {
  const api = new Fixture();
  api.create('configmaps', configMap('a'));
  api.create('configmaps', withFinalizer('b'));
  for (const name of ['a', 'b'])
    api.do('delete', 'configmaps', { name, options: { dryRun: true } });
  expect(api.list('configmaps').items.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([
    undefined,
    undefined,
  ]);
});
