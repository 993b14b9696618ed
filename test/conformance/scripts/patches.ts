/** JSON patch, JSON merge patch and strategic merge patch, with good and bad input. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { family, type Rules } from '../harness/script.ts';
import type { Session } from '../harness/session.ts';
import { configMap, pod, restingJob } from './samples.ts';

type How = 'json' | 'merge' | 'strategic';

function onConfigMap(how: How, patches: Readonly<Record<string, Json>>): Rules {
  return Object.fromEntries(
    Object.entries(patches).map(([what, patch]) => [
      `${how}: ${what}`,
      async (s: Session) => {
        await s.create(configMap('a', { a: '1', b: '2' }, { labels: { x: 'y' } }));
        await s.patch('ConfigMap', 'a', how, patch);
      },
    ]),
  );
}

function onPod(patches: Readonly<Record<string, Json>>): Rules {
  return Object.fromEntries(
    Object.entries(patches).map(([what, patch]) => [
      `strategic: ${what}`,
      async (s: Session) => {
        const env = [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ];
        const containers = [
          { name: 'main', image: 'busybox', env },
          { name: 'side', image: 'busybox' },
        ];
        const tolerations = [{ key: 'k', operator: 'Exists' }];
        await s.create(pod('a', { containers, tolerations }, { finalizers: ['x.test/one'] }));
        await s.patch('Pod', 'a', 'strategic', patch);
        await s.patch('Pod', 'a', 'merge', { metadata: { finalizers: null } });
      },
    ]),
  );
}

const jsonPatches: Readonly<Record<string, Json>> = {
  'add, replace and remove': [
    { op: 'add', path: '/data/c', value: '3' },
    { op: 'replace', path: '/data/a', value: 'x' },
    { op: 'remove', path: '/data/b' },
  ],
  'add replaces what is there': [{ op: 'add', path: '/data/a', value: '9' }],
  'remove of what is not there': [{ op: 'remove', path: '/data/none' }],
  'replace of what is not there': [{ op: 'replace', path: '/data/none', value: 'x' }],
  'add below what is not there': [{ op: 'add', path: '/none/x', value: 'x' }],
  'a test that holds': [
    { op: 'test', path: '/data/a', value: '1' },
    { op: 'remove', path: '/data/a' },
  ],
  'a test that does not hold': [
    { op: 'test', path: '/data/a', value: '2' },
    { op: 'remove', path: '/data/a' },
  ],
  'a test of what is not there': [{ op: 'test', path: '/data/none', value: '2' }],
  'move and copy': [
    { op: 'move', from: '/data/a', path: '/data/moved' },
    { op: 'copy', from: '/data/b', path: '/data/copied' },
  ],
  'move of what is not there': [{ op: 'move', from: '/data/none', path: '/data/x' }],
  'an unknown operation': [{ op: 'increase', path: '/data/a' }],
  'no operation at all': [],
  'an object instead of a list': { op: 'remove', path: '/data/a' },
  'escaped slashes and tildes': [
    { op: 'add', path: '/metadata/annotations', value: {} },
    { op: 'add', path: '/metadata/annotations/x.test~1y', value: 'z' },
  ],
  'a number where a text belongs': [{ op: 'add', path: '/data/a', value: 5 }],
  'a path without a slash': [{ op: 'add', path: 'data', value: {} }],
  'the name cannot change': [{ op: 'replace', path: '/metadata/name', value: 'b' }],
  'the kind cannot change': [{ op: 'replace', path: '/kind', value: 'Secret' }],
  'no value': [{ op: 'add', path: '/data/a' }],
  'null for a value': [{ op: 'add', path: '/data/a', value: null }],
  'the whole document': [{ op: 'replace', path: '', value: {} }],
};

const mergePatches: Readonly<Record<string, Json>> = {
  'adds, changes and removes': { data: { a: 'x', b: null, c: '3' } },
  'null for all': { data: null },
  'an empty patch': {},
  'a list instead of an object': [{ data: { a: '2' } }],
  'a text instead of an object': 'text',
  'an unknown field is dropped': { unknown: { x: 1 } },
  'a number where a text belongs': { data: { a: 5 } },
  'the name cannot change': { metadata: { name: 'b' } },
  'the namespace cannot change': { metadata: { namespace: 'b' } },
  'the kind cannot change': { kind: 'Secret' },
  'the apiVersion cannot change': { apiVersion: 'v2' },
  'the same again': { data: { a: '1' } },
  'managedFields can be emptied': { metadata: { managedFields: [{}] } },
  'the uid cannot be taken away': { metadata: { uid: null, creationTimestamp: null } },
};

const strategicPatches: Readonly<Record<string, Json>> = {
  'adds, changes and removes': { data: { a: 'x', b: null, c: '3' } },
  '$patch: replace of a map': { data: { $patch: 'replace', only: 'this' } },
  '$patch: delete of a map': { data: { $patch: 'delete' } },
  '$retainKeys keeps the named keys': { data: { $retainKeys: ['a'], a: '5' } },
  'an unknown directive': { data: { $patch: 'explode' } },
  'a list instead of an object': [],
};

const podPatches: Readonly<Record<string, Json>> = {
  'a container is found by its name': { spec: { containers: [{ name: 'side', image: 'other' }] } },
  'a new container cannot join a Pod': { spec: { containers: [{ name: 'new', image: 'x' }] } },
  'an item is taken out by its key': { spec: { containers: [{ name: 'side', $patch: 'delete' }] } },
  'an item without its key': { spec: { containers: [{ image: 'other' }] } },
  'finalizers are merged': { metadata: { finalizers: ['x.test/two'] } },
  'a primitive list loses an item': {
    metadata: { '$deleteFromPrimitiveList/finalizers': ['x.test/one'] },
  },
  'tolerations are replaced as one': {
    spec: {
      tolerations: [
        { key: 'k', operator: 'Exists' },
        { key: 'l', operator: 'Exists' },
      ],
    },
  },
  'labels are merged': { metadata: { labels: { a: 'b', none: null } } },
  'the order is given': {
    spec: {
      '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }],
      containers: [{ name: 'main', image: 'newer' }],
    },
  },
  'a text where a list belongs': { spec: { containers: 'x' } },
};

const claim = (annotations: JsonObject) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'a', annotations },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});

/** A value that is valid at its place, and not a quantity at its target. */
const carried = (op: string): Rules => ({
  [`json: what a ${op} brings is read where it lands`]: async (s) => {
    await s.create(claim({ storage: '1Gb' }));
    const { code } = await s.aside('PATCH', s.path('PersistentVolumeClaim', 'a'), {
      body: [{ op, from: '/metadata/annotations', path: '/spec/resources/requests' }],
      headers: { 'content-type': 'application/json-patch+json' },
    });
    s.note('code', code);
  },
});

export const patchScripts = family('patches', {
  ...carried('copy'),
  ...carried('move'),
  ...onConfigMap('json', jsonPatches),
  ...onConfigMap('merge', mergePatches),
  ...onConfigMap('strategic', strategicPatches),
  ...onPod(podPatches),
  'json: items of a list by their position': async (s) => {
    await s.create(restingJob('a', {}, { finalizers: ['x.test/a', 'x.test/b'] }));
    await s.patch('Job', 'a', 'json', [
      { op: 'add', path: '/metadata/finalizers/1', value: 'x.test/m' },
    ]);
    await s.patch('Job', 'a', 'json', [
      { op: 'add', path: '/metadata/finalizers/-', value: 'x.test/z' },
    ]);
    await s.patch('Job', 'a', 'json', [{ op: 'remove', path: '/metadata/finalizers/9' }]);
    await s.patch('Job', 'a', 'json', [{ op: 'remove', path: '/metadata/finalizers/0' }]);
    await s.patch('Job', 'a', 'json', [{ op: 'remove', path: '/metadata/finalizers' }]);
  },
  'merge: a list is replaced as a whole': async (s) => {
    await s.create(pod('a', {}, { finalizers: ['x.test/one'] }));
    await s.patch('Pod', 'a', 'merge', { metadata: { finalizers: ['x.test/two'] } });
    await s.patch('Pod', 'a', 'merge', {
      spec: { containers: [{ name: 'main', image: 'newer' }] },
    });
    await s.patch('Pod', 'a', 'merge', { metadata: { finalizers: null } });
  },
  'strategic: an init container list appears by a patch': async (s) => {
    await s.create(pod('a'));
    await s.patch('Pod', 'a', 'strategic', { spec: { activeDeadlineSeconds: 10 } });
    await s.patch('Pod', 'a', 'strategic', { spec: { activeDeadlineSeconds: 20 } });
    await s.patch('Pod', 'a', 'strategic', { spec: { activeDeadlineSeconds: null } });
  },
  'broken JSON': async (s) => {
    await s.create(configMap('a'));
    for (const type of ['merge-patch', 'json-patch', 'strategic-merge-patch']) {
      const headers = { 'content-type': `application/${type}+json` };
      await s.call('PATCH', s.path('ConfigMap', 'a'), { headers, body: '{"data":' });
    }
  },
  'an unknown patch type': async (s) => {
    await s.create(configMap('a'));
    const path = s.path('ConfigMap', 'a');
    await s.call('PATCH', path, { headers: { 'content-type': 'application/json' }, body: {} });
    await s.call('PATCH', path, { headers: { 'content-type': 'text/plain' }, body: 'x' });
  },
  'a patch of what does not exist': async (s) => {
    await s.patch('ConfigMap', 'none', 'json', []);
    await s.patch('ConfigMap', 'none', 'merge', {});
    await s.patch('ConfigMap', 'none', 'strategic', {});
  },
});
