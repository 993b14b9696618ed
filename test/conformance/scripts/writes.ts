/** Dry run, preconditions, optimistic locking, generation. */
import { family } from '../harness/script.ts';
import type { Manifest } from '../harness/session.ts';
import { configMap, pod, restingJob, secret } from './samples.ts';

const dry = { query: { dryRun: 'All' } };

export const writeScripts = family('writes', {
  'a dry run of an update changes nothing': async (s) => {
    await s.create(configMap('a'));
    await s.update(configMap('a', { a: '2' }), dry);
    await s.patch('ConfigMap', 'a', 'merge', { data: { a: '3' } }, dry);
    await s.read('ConfigMap', 'a');
  },
  'a dry run of a delete changes nothing': async (s) => {
    await s.create(configMap('a'));
    await s.delete('ConfigMap', 'a', dry);
    await s.read('ConfigMap', 'a');
  },
  'a dry run by the body of a delete': async (s) => {
    await s.create(configMap('a'));
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] };
    await s.delete('ConfigMap', 'a', { body });
    await s.read('ConfigMap', 'a');
  },
  'a dry run tells what would be refused': async (s) => {
    await s.create(configMap('a'));
    await s.create(configMap('a'), dry);
    await s.create(configMap('B'), dry);
  },
  'a dry run is All or nothing': async (s) => {
    await s.create(configMap('a'), { query: { dryRun: 'true' } });
    await s.create(configMap('a'), { query: { dryRun: '' } });
  },
  'a dry run of a deletecollection changes nothing': async (s) => {
    await s.create(secret('a'));
    await s.deleteAll('Secret', { dryRun: 'All' });
    await s.list('Secret');
  },
  'a dry run with generateName has a name': async (s) => {
    await s.create(configMap('', {}, { generateName: 'dry-' }), dry);
  },
  'an update with an old resourceVersion conflicts': async (s) => {
    const { body } = await s.create(configMap('a'));
    await s.update(configMap('a', { a: '2' }));
    await s.update(body);
  },
  'an update with the latest resourceVersion goes through': async (s) => {
    const { body } = await s.create(configMap('a'));
    await s.update({ ...body, data: { a: '2' } });
  },
  'an update without a resourceVersion goes through': async (s) => {
    await s.create(configMap('a'));
    await s.update(configMap('a', { a: '2' }));
  },
  'an update that changes nothing keeps the resourceVersion': async (s) => {
    const { body } = await s.create(configMap('a'));
    const again = await s.update(body);
    s.note('same', again.body.metadata.resourceVersion === body.metadata.resourceVersion);
  },
  'an update with another uid conflicts': async (s) => {
    await s.create(configMap('a'));
    const uid = '00000000-0000-0000-0000-000000000001';
    await s.update(configMap('a', { a: '2' }, { uid }));
  },
  'an update of what does not exist is not found': async (s) => {
    await s.update(configMap('a'));
    await s.update(configMap('a', {}, { resourceVersion: '1' }));
  },
  'an update with a nonsense resourceVersion': async (s) => {
    await s.create(configMap('a'));
    await s.update(configMap('a', {}, { resourceVersion: 'abc' }));
    await s.update(configMap('a', {}, { resourceVersion: '0' }));
  },
  'a patch with an old resourceVersion conflicts': async (s) => {
    const { body } = await s.create(configMap('a'));
    await s.patch('ConfigMap', 'a', 'merge', { data: { b: '1' } });
    const { resourceVersion } = body.metadata;
    await s.patch('ConfigMap', 'a', 'merge', { metadata: { resourceVersion }, data: { c: '1' } });
    await s.patch('ConfigMap', 'a', 'strategic', {
      metadata: { resourceVersion },
      data: { c: '1' },
    });
  },
  'a patch with another uid': async (s) => {
    await s.create(configMap('a'));
    const uid = '00000000-0000-0000-0000-000000000001';
    await s.patch('ConfigMap', 'a', 'merge', { metadata: { uid }, data: { c: '1' } });
  },
  'a delete with the right preconditions goes through': async (s) => {
    const { body } = await s.create(configMap('a'));
    const { uid, resourceVersion } = body.metadata;
    await s.delete('ConfigMap', 'a', { body: { preconditions: { uid, resourceVersion } } });
    await s.read('ConfigMap', 'a');
  },
  'a delete with another uid conflicts': async (s) => {
    await s.create(configMap('a'));
    const uid = '00000000-0000-0000-0000-000000000001';
    await s.delete('ConfigMap', 'a', { body: { preconditions: { uid } } });
  },
  'a delete with an old resourceVersion conflicts': async (s) => {
    const { body } = await s.create(configMap('a'));
    await s.update(configMap('a', { a: '2' }));
    const { resourceVersion } = body.metadata;
    await s.delete('ConfigMap', 'a', { body: { preconditions: { resourceVersion } } });
  },
  'generation counts changes of the spec only': async (s) => {
    await s.create(restingJob('a'));
    await s.patch('Job', 'a', 'merge', { metadata: { labels: { x: 'y' } } });
    await s.patch('Job', 'a', 'merge', { spec: { parallelism: 3 } });
    await s.patch('Job', 'a', 'merge', { spec: { parallelism: 3 } });
    await s.patch('Job', 'a', 'merge', { metadata: { generation: 40 } });
  },
  'a Pod has a generation, a ConfigMap has none': async (s) => {
    await s.create(pod('a'));
    await s.patch('Pod', 'a', 'merge', { spec: { activeDeadlineSeconds: 5 } });
    await s.create(configMap('a'));
  },
  'stamps cannot be changed': async (s) => {
    const { body } = await s.create(configMap('a'));
    const metadata = {
      ...(body as Manifest).metadata,
      creationTimestamp: '2020-01-01T00:00:00Z',
      generation: 5,
      deletionTimestamp: '2020-01-01T00:00:00Z',
    };
    await s.update({ ...(body as Manifest), metadata });
    await s.read('ConfigMap', 'a');
  },
  'an immutable ConfigMap stays': async (s) => {
    await s.create({ ...configMap('a'), immutable: true });
    await s.update({ ...configMap('a', { a: '2' }), immutable: true });
    await s.update({ ...configMap('a'), immutable: false });
    await s.patch('ConfigMap', 'a', 'merge', { metadata: { labels: { still: 'free' } } });
  },
  'an immutable Secret stays': async (s) => {
    await s.create({ ...secret('a'), immutable: true });
    await s.patch('Secret', 'a', 'merge', { data: { key: 'eA==' } });
    await s.patch('Secret', 'a', 'merge', { type: 'other' });
  },
  'stringData of a Secret becomes data': async (s) => {
    await s.create({ ...secret('a'), stringData: { more: 'text', key: 'wins' } });
    await s.patch('Secret', 'a', 'merge', { stringData: { later: 'x' } });
  },
  'a Secret takes base64 only': async (s) => {
    await s.create({ ...secret('a'), data: { key: 'no base64!' } });
    await s.create({ ...secret('a'), type: 'kubernetes.io/dockerconfigjson' });
    await s.create({ ...secret('a'), type: 'kubernetes.io/tls' });
  },
  'data and binaryData of a ConfigMap share their keys': async (s) => {
    await s.create({ ...configMap('a'), binaryData: { a: 'AAE=' } });
    await s.create({ ...configMap('b'), binaryData: { b: 'AAE=' } });
  },
  'empty maps and lists are left out': async (s) => {
    await s.create({ ...configMap('a'), data: {}, binaryData: {} });
    await s.create(pod('a', { nodeSelector: {}, volumes: [], tolerations: [] }));
    await s.create(restingJob('a', {}, { labels: {}, annotations: {}, finalizers: [] }));
  },
  'a create may not tell a deletion': async (s) => {
    await s.create(configMap('a', {}, { deletionGracePeriodSeconds: 5, finalizers: ['x.test/y'] }));
    await s.patch('ConfigMap', 'a', 'merge', { metadata: { finalizers: null } });
  },
  'the status of a new object is dropped': async (s) => {
    await s.create({ ...restingJob('a'), status: { succeeded: 3 } });
    await s.create({ ...pod('a'), status: { phase: 'Running' } });
  },
  'an update of the object keeps its status': async (s) => {
    const { body } = await s.create(pod('a'));
    await s.update({ ...(body as Manifest), status: { phase: 'Running' } });
  },
});
