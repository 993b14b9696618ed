/** Valid and invalid names, generated names, labels and annotations. */
import { family, type Rules } from '../harness/script.ts';
import type { Session } from '../harness/session.ts';
import { configMap, job, pod, restingJob } from './samples.ts';

const badNames = ['A', 'a_b', '-a', 'a.', 'a b', 'a/b', '..', 'x'.repeat(254), 'a..b', 'ä'];

const forNames = Object.fromEntries(
  badNames.map((name) => [
    `a ConfigMap cannot be called ${name.slice(0, 20)}`,
    async (s: Session) => {
      await s.create(configMap(name));
    },
  ]),
) as Rules;

const badLabels: Readonly<Record<string, Record<string, string>>> = {
  'an empty key': { '': 'a' },
  'a key with a blank': { 'a b': 'c' },
  'a key with a bad prefix': { 'A_/b': 'c' },
  'a key with two slashes': { 'a/b/c': 'd' },
  'a key that is too long': { ['k'.repeat(64)]: 'v' },
  'a value with a blank': { a: 'b c' },
  'a value that is too long': { a: 'v'.repeat(64) },
  'a value that ends in a dash': { a: 'b-' },
};

const forLabels = Object.fromEntries(
  Object.entries(badLabels).map(([what, labels]) => [
    `a label may not have ${what}`,
    async (s: Session) => {
      await s.create(configMap('a', {}, { labels }));
    },
  ]),
) as Rules;

export const nameScripts = family('names', {
  ...forNames,
  ...forLabels,
  'an annotation may have any value but no bad key': async (s) => {
    await s.create(configMap('a', {}, { annotations: { a: 'x y\nz' } }));
    await s.create(configMap('b', {}, { annotations: { 'a b': '' } }));
  },
  'annotations may have 256 KiB': async (s) => {
    await s.create(configMap('a', {}, { annotations: { a: 'x'.repeat(262_143) } }));
    await s.create(configMap('b', {}, { annotations: { a: 'x'.repeat(262_144) } }));
  },
  'a label value is text': async (s) => {
    await s.create(configMap('a', {}, { labels: { a: 1 } }));
    await s.create(configMap('a', {}, { labels: ['a'] }));
    await s.create(configMap('a', {}, { labels: { a: null } }));
  },
  'several faults are reported at once': async (s) => {
    await s.create(configMap('A', { 'b c': '1' }, { labels: { 'x y': 'z z' } }));
  },
  'a name is generated': async (s) => {
    const { body } = await s.create(configMap('', {}, { generateName: 'gen-' }));
    await s.read('ConfigMap', body.metadata.name);
  },
  'a given name wins over a generated one': async (s) => {
    await s.create(configMap('given', {}, { generateName: 'gen-' }));
  },
  'a long generateName is cut': async (s) => {
    const { body } = await s.create(configMap('', {}, { generateName: 'g'.repeat(200) }));
    s.note('length', body.metadata.name.length);
  },
  'a bad generateName is reported': async (s) => {
    const generated = configMap('', {}, { generateName: 'Bad_' });
    const { code, body } = await s.aside('POST', s.path('ConfigMap'), { body: generated });
    s.note('code', code);
    s.note(
      'causes',
      (body['details'] as { causes: { field: string }[] }).causes.map(({ field }) => field),
    );
  },
  'a name or generateName is needed': async (s) => {
    await s.create({ apiVersion: 'v1', kind: 'ConfigMap', data: {} });
    await s.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: {} });
  },
  'the name in the path and in the body agree': async (s) => {
    const { body } = await s.create(configMap('a'));
    await s.call('PUT', s.path('ConfigMap', 'b'), { body });
    await s.call('PUT', s.path('ConfigMap', 'a'), { body: { ...configMap('a'), metadata: {} } });
  },
  'the namespace in the path and in the body agree': async (s) => {
    await s.create(configMap('a', {}, { namespace: 'elsewhere' }));
    await s.create(configMap('b', {}, { namespace: s.ns }));
  },
  'a cluster-scoped object has no namespace': async (s) => {
    const priority = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', value: 1 };
    await s.create({ ...priority, metadata: { name: s.own('a'), namespace: s.ns } });
    await s.delete('PriorityClass', s.own('a'));
  },
  'a Job name is at most 63 characters long for its Pods': async (s) => {
    await s.create(restingJob('j'.repeat(63)));
    await s.create(restingJob('j'.repeat(64)));
  },
  'an indexed Job leaves room for the index': async (s) => {
    const indexed = { completionMode: 'Indexed', completions: 10, parallelism: 1, suspend: true };
    await s.create(job('j'.repeat(61), indexed));
    await s.create(job('j'.repeat(62), indexed));
  },
  'a Namespace is a DNS label': async (s) => {
    for (const name of ['A', 'a.b', 'n'.repeat(64)]) {
      await s.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
  },
  'a container is a DNS label': async (s) => {
    await s.create(pod('a', { containers: [{ name: 'A_b', image: 'x' }] }));
    await s.create(pod('a', { containers: [{ name: '', image: 'x' }] }));
  },
  'a key of a ConfigMap is a file name': async (s) => {
    await s.create(configMap('a', { 'ok.txt': '', '.dot': '', 'A_b-c': '' }));
    await s.create(configMap('b', { 'no/slash': '' }));
    await s.create(configMap('b', { '..': '' }));
    await s.create(configMap('b', { '': '' }));
  },
  'uid and other stamps of the client are ignored at a create': async (s) => {
    await s.create(
      configMap(
        'a',
        {},
        {
          uid: '00000000-0000-0000-0000-000000000001',
          creationTimestamp: '2020-01-01T00:00:00Z',
          generation: 7,
          selfLink: '/somewhere',
          deletionTimestamp: '2020-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 3,
        },
      ),
    );
    await s.read('ConfigMap', 'a');
  },
  'a create with a resourceVersion is refused': async (s) => {
    await s.create(configMap('a', {}, { resourceVersion: '5' }));
  },
});
