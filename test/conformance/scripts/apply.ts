/** Server-side apply: field owners, conflicts, removal (KEP-555). */
import { family } from '../harness/script.ts';
import type { Manifest } from '../harness/session.ts';
import { configMap, pod, restingJob } from './samples.ts';

const force = { query: { force: true } };
const service = (ports: Manifest[string]): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec: { clusterIP: 'None', ports: ports! },
});

export const applyScripts = family('apply', {
  'an apply creates': async (s) => {
    await s.apply(configMap('a'), 'one');
  },
  'a second apply of the same changes nothing': async (s) => {
    const first = await s.apply(configMap('a'), 'one');
    const second = await s.apply(configMap('a'), 'one');
    s.note('same', first.body.metadata.resourceVersion === second.body.metadata.resourceVersion);
  },
  'what is no longer applied is removed': async (s) => {
    await s.apply(configMap('a', { a: '1', b: '2' }), 'one');
    await s.apply(configMap('a', { a: '1' }), 'one');
    await s.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, 'one');
  },
  'a field of another manager conflicts': async (s) => {
    await s.apply(configMap('a', { a: '1', b: '2' }), 'one');
    await s.apply(configMap('a', { a: '2', b: '3' }), 'two');
    await s.read('ConfigMap', 'a');
  },
  'force takes a field over': async (s) => {
    await s.apply(configMap('a', { a: '1', b: '2' }), 'one');
    await s.apply(configMap('a', { a: '2' }), 'two', force);
    await s.apply(configMap('a', { b: '2' }), 'one');
  },
  'the same value is shared': async (s) => {
    await s.apply(configMap('a', { a: '1' }), 'one');
    await s.apply(configMap('a', { a: '1' }), 'two');
    await s.apply(configMap('a', {}), 'one');
    await s.apply(configMap('a', {}), 'two');
  },
  'an update takes ownership': async (s) => {
    await s.apply(configMap('a', { a: '1', b: '2' }), 'one');
    await s.patch('ConfigMap', 'a', 'merge', { data: { a: '9' } });
    await s.apply(configMap('a', { a: '1', b: '2' }), 'one');
    await s.apply(configMap('a', { a: '1', b: '2' }), 'one', force);
  },
  'an apply over an object that was created': async (s) => {
    await s.create(configMap('a'));
    await s.apply(configMap('a', { a: '1', b: '2' }), 'one');
    await s.apply(configMap('a', { a: '2' }), 'one');
  },
  'the manager of an update is named by a parameter': async (s) => {
    const query = { fieldManager: 'named' };
    await s.create(configMap('a'), { query });
    await s.patch(
      'ConfigMap',
      'a',
      'merge',
      { data: { b: '1' } },
      { query: { fieldManager: 'other' } },
    );
    await s.update(configMap('a', { c: '1' }), { query });
  },
  'the manager of an update is the beginning of the user agent': async (s) => {
    await s.create(configMap('a'), { headers: { 'user-agent': 'somebody/v1.2 (linux)' } });
    await s.patch(
      'ConfigMap',
      'a',
      'merge',
      { data: { b: '1' } },
      { headers: { 'user-agent': 'plain' } },
    );
  },
  'an apply names its manager': async (s) => {
    await s.patch('ConfigMap', 'a', 'apply', configMap('a'));
    await s.patch('ConfigMap', 'a', 'apply', configMap('a'), { query: { fieldManager: '' } });
    await s.patch('ConfigMap', 'a', 'apply', configMap('a'), {
      query: { fieldManager: 'x'.repeat(129) },
    });
    await s.patch('ConfigMap', 'a', 'apply', configMap('a'), { query: { fieldManager: 'a\tb' } });
  },
  'force is only for an apply': async (s) => {
    await s.create(configMap('a'));
    await s.patch('ConfigMap', 'a', 'merge', {}, force);
    await s.patch('ConfigMap', 'a', 'merge', {}, { query: { force: false } });
  },
  'an apply needs apiVersion and kind': async (s) => {
    await s.apply({ ...configMap('a'), apiVersion: 'v1', kind: 'ConfigMap' }, 'one');
    const query = { fieldManager: 'one' };
    await s.patch('ConfigMap', 'a', 'apply', { metadata: { name: 'a' } }, { query });
    await s.patch('ConfigMap', 'a', 'apply', { ...configMap('a'), kind: 'Secret' }, { query });
    await s.patch('ConfigMap', 'a', 'apply', { ...configMap('a'), apiVersion: 'v2' }, { query });
  },
  'an apply has no managedFields': async (s) => {
    await s.apply(configMap('a', {}, { managedFields: [{ manager: 'x' }] }), 'one');
    await s.apply(configMap('a', {}, { managedFields: [] }), 'one');
  },
  'an apply under another name': async (s) => {
    const query = { fieldManager: 'one' };
    await s.patch('ConfigMap', 'b', 'apply', configMap('a'), { query });
  },
  'an apply without a name in the body': async (s) => {
    const query = { fieldManager: 'one' };
    await s.patch('ConfigMap', 'b', 'apply', { apiVersion: 'v1', kind: 'ConfigMap' }, { query });
  },
  'an apply with an unknown field': async (s) => {
    await s.apply({ ...configMap('a'), unknown: 1 }, 'one');
    await s.apply({ ...configMap('a'), unknown: 1 }, 'one', {
      query: { fieldValidation: 'Strict' },
    });
    await s.apply({ ...configMap('a'), unknown: 1 }, 'one', {
      query: { fieldValidation: 'Ignore' },
    });
  },
  'an apply in YAML': async (s) => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const body =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  text: |\n    one\n    two\n';
    await s.call('PATCH', s.path('ConfigMap', 'a'), {
      headers,
      body,
      query: { fieldManager: 'one' },
    });
  },
  'an apply of broken YAML': async (s) => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const { code, body } = await s.aside('PATCH', s.path('ConfigMap', 'a'), {
      headers,
      body: 'a: [',
      query: { fieldManager: 'one' },
    });
    s.note('code and reason', [code, body['reason']]);
  },
  'an apply by JSON': async (s) => {
    await s.patch('ConfigMap', 'a', 'apply', configMap('a'), {
      query: { fieldManager: 'one' },
      headers: { 'content-type': 'application/apply-patch+json' },
    });
  },
  'an apply as a dry run': async (s) => {
    await s.apply(configMap('a'), 'one', { query: { dryRun: 'All' } });
    await s.read('ConfigMap', 'a');
  },
  'an apply with a resourceVersion': async (s) => {
    await s.apply(configMap('a', {}, { resourceVersion: '1' }), 'one');
    await s.apply(configMap('a'), 'one');
    await s.apply(configMap('a', { a: '2' }, { resourceVersion: '1' }), 'one');
  },
  'labels and annotations are owned one by one': async (s) => {
    await s.apply(configMap('a', {}, { labels: { x: '1' }, annotations: { y: '1' } }), 'one');
    await s.apply(configMap('a', {}, { labels: { z: '1' } }), 'two');
    await s.apply(configMap('a', {}, { labels: {} }), 'one');
  },
  'finalizers are a set': async (s) => {
    await s.apply(configMap('a', {}, { finalizers: ['x.test/a', 'x.test/b'] }), 'one');
    await s.apply(configMap('a', {}, { finalizers: ['x.test/b', 'x.test/c'] }), 'two');
    await s.apply(configMap('a', {}, { finalizers: [] }), 'one');
    await s.apply(configMap('a', {}, { finalizers: [] }), 'two');
  },
  'a finalizer twice in an apply': async (s) => {
    await s.apply(configMap('a', {}, { finalizers: ['x.test/a', 'x.test/a'] }), 'one');
  },
  'owner references are a list by uid': async (s) => {
    const owner = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Nothing',
      name,
      uid: `00000000-0000-0000-0000-00000000000${name.length}`,
    });
    await s.apply(configMap('a', {}, { ownerReferences: [owner('a')] }), 'one', {
      query: { dryRun: 'All' },
    });
    await s.apply(configMap('a', {}, { ownerReferences: [owner('a'), owner('a')] }), 'one', {
      query: { dryRun: 'All' },
    });
  },
  'containers are a list by name': async (s) => {
    const spec = {
      schedulerName: 'nobody',
      containers: [{ name: 'main', image: 'busybox', env: [{ name: 'A', value: '1' }] }],
    };
    await s.apply(pod('a', spec), 'one');
    await s.apply(pod('a', { ...spec, containers: [{ name: 'main', image: 'newer' }] }), 'two');
    await s.apply(
      pod('a', { ...spec, containers: [{ name: 'main', image: 'newer' }] }),
      'two',
      force,
    );
  },
  'a key twice in a list map': async (s) => {
    const containers = [
      { name: 'main', image: 'a' },
      { name: 'main', image: 'b' },
    ];
    await s.apply(pod('a', { containers }), 'one');
  },
  'ports of a Service are a list by port and protocol': async (s) => {
    await s.apply(
      service([
        { name: 'a', port: 80 },
        { name: 'b', port: 81 },
      ]),
      'one',
    );
    await s.apply(service([{ name: 'c', port: 80, protocol: 'UDP' }]), 'two');
    await s.apply(service([{ name: 'a', port: 80, targetPort: 8080 }]), 'one');
    await s.read('Service', 'a');
  },
  'an item keeps what others own of it': async (s) => {
    const env = (name: string) => [{ name: 'main', image: 'busybox', env: [{ name, value: '1' }] }];
    const template = (name: string) => ({
      template: { spec: { restartPolicy: 'Never', containers: env(name) } },
      suspend: true,
    });
    await s.apply(restingJob('a', template('A')), 'one');
    await s.apply(restingJob('a', template('B')), 'two');
    await s.apply(restingJob('a', { suspend: true, parallelism: 2 }), 'two');
  },
  'an atomic list is owned as one': async (s) => {
    const command = (words: string[]) => [{ name: 'main', image: 'busybox', command: words }];
    await s.apply(pod('a', { containers: command(['a', 'b']) }), 'one');
    await s.apply(pod('a', { containers: command(['a', 'c']) }), 'two');
  },
  'an atomic map is owned as one': async (s) => {
    const pick = (nodeSelector: Record<string, string>) => pod('a', { nodeSelector });
    await s.apply(pick({ a: 'b' }), 'one');
    await s.apply(pick({ a: 'b', c: 'd' }), 'two');
    await s.apply(pick({ a: 'b' }), 'two');
  },
  'status is applied under its own path': async (s) => {
    await s.apply(restingJob('a'), 'one');
    const status = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'a' },
      status: { active: 2 },
    };
    await s.apply(status, 'two', { sub: 'status' });
  },
  'client-side apply turns into server-side apply': async (s) => {
    const last = JSON.stringify(configMap('a', { a: '1', b: '2' }));
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': last };
    await s.create(configMap('a', { a: '1', b: '2' }, { annotations }), {
      query: { fieldManager: 'kubectl-client-side-apply' },
    });
    await s.apply(configMap('a', { a: '5' }, { annotations }), 'kubectl', force);
  },
  'managers of a deleted and a new object are apart': async (s) => {
    await s.apply(configMap('a'), 'one');
    await s.delete('ConfigMap', 'a');
    await s.apply(configMap('a', { b: '1' }), 'two');
  },
  'null in an apply': async (s) => {
    await s.apply(configMap('a', { a: '1' }), 'one');
    await s.apply({ ...configMap('a'), data: null }, 'one');
    await s.apply(configMap('a', { a: null }), 'one');
  },
});
