/** Answers of HTTP itself: unknown paths, methods and media types, broken bodies. */
import { family } from '../harness/script.ts';
import { tableOf } from '../harness/session.ts';
import { configMap, pod, restingJob } from './samples.ts';

const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n';

export const transportScripts = family('transport', {
  'an unknown path': async (s) => {
    await s.call('GET', '/nothing');
    await s.call('GET', '/apis/nothing.test/v1');
    await s.call('GET', '/apis/nothing.test/v1/things');
    await s.call('GET', '/apis/batch/v7/jobs');
    await s.call('GET', `/api/v1/namespaces/${s.ns}/things`);
    await s.call('GET', `/api/v1/namespaces/${s.ns}/pods/a/nothing`);
    await s.call('GET', `/api/v1/namespaces/${s.ns}/configmaps/a/status`);
  },
  'a method that a path does not know': async (s) => {
    await s.call('POST', s.path('ConfigMap', 'a'), { body: configMap('a') });
    await s.call('PUT', s.path('ConfigMap'), { body: configMap('a') });
    await s.call('PATCH', s.path('ConfigMap'), {
      body: {},
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    await s.call('DELETE', s.path('Pod', 'a', { sub: 'status' }));
    await s.call('POST', s.path('Job', 'a', { sub: 'status' }), { body: {} });
  },
  'a HEAD is a GET without a body': async (s) => {
    await s.create(configMap('a'));
    await s.call('HEAD', s.path('ConfigMap', 'a'));
    await s.call('HEAD', s.path('ConfigMap', 'none'));
  },
  'a namespaced create needs its namespace': async (s) => {
    await s.call('POST', '/api/v1/configmaps', { body: configMap('a') });
    await s.call('DELETE', '/api/v1/configmaps');
    await s.call('GET', '/api/v1/configmaps/a');
  },
  'YAML is taken and JSON answered': async (s) => {
    await s.call('POST', s.path('ConfigMap'), {
      body: yaml,
      headers: { 'content-type': 'application/yaml' },
    });
  },
  'YAML is answered where it is accepted': async (s) => {
    await s.create(configMap('a'));
    const { code, body } = await s.aside('GET', s.path('ConfigMap', 'a'), {
      headers: { accept: 'application/yaml' },
    });
    s.note('code and type', [code, typeof body]);
  },
  'a media type that nobody knows': async (s) => {
    await s.call('POST', s.path('ConfigMap'), {
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    await s.call('PUT', s.path('ConfigMap', 'a'), {
      body: 'x',
      headers: { 'content-type': 'image/png' },
    });
  },
  'an answer that nobody can give': async (s) => {
    await s.create(configMap('a'));
    await s.read('ConfigMap', 'a', { headers: { accept: 'text/plain' } });
    await s.read('ConfigMap', 'a', { headers: { accept: 'image/png, application/json' } });
    await s.read('ConfigMap', 'a', { headers: { accept: '*/*' } });
    await s.read('ConfigMap', 'a', { headers: { accept: 'application/*' } });
  },
  'a Table of another version': async (s) => {
    await s.create(configMap('a'));
    const accept = 'application/json;as=Table;v=v7;g=meta.k8s.io';
    await s.read('ConfigMap', 'a', { headers: { accept } });
    await s.read('ConfigMap', 'a', { headers: { accept: `${accept},application/json` } });
  },
  'partial metadata': async (s) => {
    await s.create(configMap('a', { x: '1' }, { labels: { mine: 'yes' } }));
    const one = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const many = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    await s.read('ConfigMap', 'a', { headers: { accept: one } });
    await s.list('ConfigMap', { labelSelector: 'mine=yes' }, { headers: { accept: many } });
    await s.list('ConfigMap', { labelSelector: 'mine=yes' }, { headers: { accept: one } });
  },
  'a Table with whole objects or none': async (s) => {
    await s.create(configMap('a'));
    const headers = { accept: tableOf };
    await s.read('ConfigMap', 'a', { headers, query: { includeObject: 'Object' } });
    await s.read('ConfigMap', 'a', { headers, query: { includeObject: 'None' } });
    await s.read('ConfigMap', 'a', { headers, query: { includeObject: 'Metadata' } });
    await s.read('ConfigMap', 'a', { headers, query: { includeObject: 'Some' } });
  },
  'a Table of what does not exist': async (s) => {
    await s.read('ConfigMap', 'none', { headers: { accept: tableOf } });
    await s.list('Secret', {}, { headers: { accept: tableOf } });
  },
  'a create can be answered as a Table': async (s) => {
    await s.create(pod('a'), { headers: { accept: tableOf } });
  },
  'broken JSON': async (s) => {
    for (const body of ['{"kind":', '', '[]', '"x"', 'null', '{}']) {
      await s.call('POST', s.path('ConfigMap'), {
        body,
        headers: { 'content-type': 'application/json' },
      });
    }
  },
  'a body that is deep': async (s) => {
    for (const [type, data] of [
      ['application/json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
      ['application/json', '{"__proto__":"a","constructor":"b","toString":"c"}'],
    ] as const) {
      const { code, body } = await s.aside('POST', s.path('ConfigMap'), {
        body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${data}}`,
        headers: { 'content-type': type },
      });
      s.note('answer', [code, body['reason'] ?? '', JSON.stringify(body['data'] ?? {})]);
    }
  },
  'a body without a content type': async (s) => {
    const body = JSON.stringify(configMap('a'));
    const { code } = await s.aside('POST', s.path('ConfigMap'), { body, headers: {} });
    s.note('created', code);
  },
  'a body of another kind': async (s) => {
    await s.call('POST', s.path('ConfigMap'), { body: pod('a') });
    await s.call('POST', s.path('Job'), { body: { ...restingJob('a'), apiVersion: 'batch/v2' } });
    await s.call('POST', s.path('Job'), { body: { ...restingJob('a'), apiVersion: 'v1' } });
    await s.call('POST', s.path('ConfigMap'), { body: { metadata: { name: 'a' } } });
    await s.call('POST', s.path('ConfigMap'), {
      body: { kind: 'ConfigMap', metadata: { name: 'b' } },
    });
  },
  'an object that is too large': async (s) => {
    const data = { large: 'x'.repeat(1_100_000) };
    const { code, body } = await s.aside('POST', s.path('ConfigMap'), {
      body: configMap('a', data),
    });
    s.note('answer', [code, body['reason'], body['message']]);
    const huge = { large: 'x'.repeat(3_500_000) };
    const answer = await s.aside('POST', s.path('ConfigMap'), { body: configMap('a', huge) });
    s.note('answer to more', [answer.code, answer.body['reason'], answer.body['message']]);
  },
  'an object that is too large to be stored': async (s) => {
    for (const [name, size] of Object.entries({ a: 1_500_000, b: 1_600_000, c: 2_200_000 })) {
      const container = { name: 'main', image: 'b', args: ['x'.repeat(size)] };
      const body = pod(name, { schedulerName: 'nobody', containers: [container] });
      const { code, body: answer } = await s.aside('POST', s.path('Pod'), { body });
      // One server counts bytes of JSON, the other bytes of protobuf.
      const message = String(answer['message']).replace(/\d+ vs/, 'N vs');
      s.note(`${size} bytes`, [code, answer['reason'], message]);
    }
  },
  'gzip is not asked for': async (s) => {
    await s.create(configMap('a'));
    await s.read('ConfigMap', 'a', { headers: { 'accept-encoding': 'identity' } });
  },
  'pretty printing is for people': async (s) => {
    await s.create(configMap('a'));
    await s.read('ConfigMap', 'a', { query: { pretty: true } });
  },
  'health is reported in plain text': async (s) => {
    await s.call('GET', '/healthz');
    await s.call('GET', '/livez');
    await s.call('GET', '/readyz');
  },
  'the version is reported': async (s) => {
    const { body } = await s.aside('GET', '/version');
    s.note('fields', Object.keys(body).sort());
    s.note('major and minor', [body['major'], body['minor'], body['gitVersion']]);
  },
  'a status is not a deep path of a custom kind': async (s) => {
    await s.call('GET', `/api/v1/namespaces/${s.ns}/pods/a/status`);
    await s.call('GET', `/api/v1/namespaces/${s.ns}/status`);
    await s.call('GET', `/apis/batch/v1/namespaces/${s.ns}/jobs/a/scale`);
  },
});
