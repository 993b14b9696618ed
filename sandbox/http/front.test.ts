import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxBodyBytes } from './request-body.ts';
import { configMap, configMaps, nowMs, type Served, served } from './testing/served.ts';

let front: Served;
beforeAll(async () => {
  front = await served();
  expect((await front.ask(`POST ${configMaps}`, configMap('one', { a: 'b' }))).status).toBe(201);
});
afterAll(() => front[Symbol.asyncDispose]());

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const noSuchPath = 'the server could not find the requested resource';
const noSuchMethod = 'the server does not allow this method on the requested resource';

describe('a request that leads nowhere', () => {
  it.each([
    ['GET /api/v1/nopes', 404, noSuchPath],
    ['GET /apis/batch/v3', 404, noSuchPath],
    ['GET /apis/batch/v1/nopes/x/status', 404, noSuchPath],
    ['GET /api/v1/namespaces/default/nodes', 404, noSuchPath],
    ['GET /api/v1/pods/p', 404, noSuchPath],
    ['GET /api/v1/namespaces/default/configmaps/one/status', 404, noSuchPath],
    ['PUT /api/v1/namespaces/default/pods', 405, noSuchMethod],
    ['POST /api/v1/namespaces/default/pods/x', 405, noSuchMethod],
    ['POST /api/v1/pods', 405, noSuchMethod],
    ['DELETE /api/v1/namespaces', 405, noSuchMethod],
    ['OPTIONS /api/v1/namespaces/default/configmaps/one', 405, noSuchMethod],
    ['GET /api/v1/namespaces/default/configmaps/none', 404, 'configmaps "none" not found'],
  ])('%s is answered with %d as by the API server', async (request, code, message) => {
    const { status, json } = await front.ask(request);
    expect({ status, message: json?.['message'] }).toEqual({ status: code, message });
  });

  it.each(['/foo', '/apis/nope', '/apis/nope/v1', '/openapi/v3/apis/nope/v1'])(
    'to %s gets a page of text',
    async (path) => {
      const { status, text } = await front.ask(`GET ${path}`);
      expect({ status, text }).toEqual({ status: 404, text: '404 page not found\n' });
    },
  );

  it.each([
    ['GET /api/v1/watch/pods', 405, /deprecated \/watch\/ paths/],
    ['POST /api/v1/namespaces/default/pods/p/exec', 501, /does not simulate running commands/],
    ['GET /api/v1/namespaces/default/pods/p/attach', 501, /does not simulate attaching/],
    ['POST /api/v1/namespaces/default/pods/p/portforward', 501, /does not simulate forwarding/],
    ['POST /api/v1/namespaces/default/serviceaccounts/s/token', 501, /does not simulate tokens/],
    ['POST /apis/authentication.k8s.io/v1/tokenreviews', 501, /does not simulate TokenReview/],
  ])('because the sandbox lacks it (%s) says so', async (request, code, message) => {
    const { status, json } = await front.ask(request);
    expect(status).toBe(code);
    expect(json?.['message']).toMatch(message);
  });
});

it.each([`GET ${configMaps}/one`, 'GET /version', 'GET /apis/nope'])(
  "carries the time of the sandbox's clock, however fast that goes: %s",
  async (request) => {
    const { headers } = await front.ask(request);
    expect(Date.parse(headers.get('date') ?? '')).toBe(nowMs);
  },
);

describe('a body', () => {
  const create = (body: string, type: string) =>
    front.ask(`POST ${configMaps}?dryRun=All`, body, { 'content-type': type });

  it('may be YAML', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata: {a: "1"}\n';
    const { status, json } = await create(text, 'application/yaml');
    expect(status).toBe(201);
    expect(json).toMatchObject({ metadata: { name: 'yaml' }, data: { a: '1' } });
  });

  it.each([
    ['<a/>', 'text/xml', 415, /body of the request was in an unknown format/],
    ['{', 'application/json', 400, /must be of type ConfigMap\): couldn't get version\/kind/],
    ['a: [', 'application/yaml', 400, /error converting YAML to JSON/],
    ['k8s?', 'application/vnd.kubernetes.protobuf', 400, /cannot read the protobuf/],
  ])('%s as %s is refused with %d', async (body, type, code, message) => {
    const { status, json } = await create(body, type);
    expect(status).toBe(code);
    expect(json?.['message']).toMatch(message);
  });

  it('of more than 3 MiB is refused, whether its length is announced or not', async () => {
    const limit = `Request entity too large: limit is ${maxBodyBytes}`;
    const large = await create('x'.repeat(maxBodyBytes + 1), 'application/json');
    expect(large).toMatchObject({ status: 413, json: { message: limit } });
    const chunked = await fetch(front.listening.url + configMaps, {
      method: 'POST',
      headers: front.authorization,
      body: new Blob(['x'.repeat(maxBodyBytes + 1)]).stream(),
      duplex: 'half',
    });
    expect(chunked.status).toBe(413);
  });

  it('of a patch is read by its content type', async () => {
    const patch = (type: string, body: unknown, query = '') =>
      front.ask(`PATCH ${configMaps}/one?dryRun=All${query}`, JSON.stringify(body), {
        'content-type': type,
      });
    const set = { data: { a: 'c' } };
    const merged = { status: 200, json: { data: { a: 'c' } } };
    expect(await patch('application/merge-patch+json', set)).toMatchObject(merged);
    expect(await patch('application/strategic-merge-patch+json', set)).toMatchObject(merged);
    const operations = [{ op: 'replace', path: '/data/a', value: 'c' }];
    expect(await patch('application/json-patch+json', operations)).toMatchObject(merged);
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', ...set };
    const query = '&fieldManager=me&force=true';
    expect(await patch('application/apply-patch+yaml', applied, query)).toMatchObject(merged);
    expect((await patch('application/json', set)).status).toBe(415);
  });

  it('with unknown fields is answered with warnings', async () => {
    const { headers } = await front.ask(`POST ${configMaps}?dryRun=All`, {
      ...configMap('warned'),
      dat: {},
    });
    expect(headers.get('warning')).toBe('299 - "unknown field \\"dat\\""');
  });
});

describe('an answer', () => {
  it('has an id for the audit of its own', async () => {
    const [one, two] = await Promise.all([front.ask('GET /version'), front.ask('GET /version')]);
    expect(one.headers.get('audit-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(one.headers.get('audit-id')).not.toBe(two.headers.get('audit-id'));
  });

  it('can be YAML, also a refusal', async () => {
    const yaml = { accept: 'application/yaml' };
    expect((await front.ask(`GET ${configMaps}/one`, undefined, yaml)).text).toMatch(/^ {2}a: b$/m);
    expect((await front.ask(`GET ${configMaps}/no`, undefined, yaml)).text).toMatch(/^code: 404$/m);
  });

  it('of an unknown form is refused', async () => {
    const { status, json } = await front.ask('GET /api/v1/pods', undefined, {
      accept: 'text/html',
    });
    expect({ status, reason: json?.['reason'] }).toEqual({ status: 406, reason: 'NotAcceptable' });
  });

  it('with built-in kinds in a list leaves their kind out', async () => {
    const { json } = await front.ask(`GET ${configMaps}`);
    expect(json).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    const [first] = json?.['items'] as Record<string, unknown>[];
    expect(Object.keys(first ?? {})).not.toContain('kind');
  });

  it('as a Table has the columns and a row for each object', async () => {
    const { json } = await front.ask(`GET ${configMaps}/one`, undefined, asTable);
    expect(json).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions: [{ name: 'Name', format: 'name' }, { name: 'Data' }, { name: 'Age' }],
      rows: [
        {
          cells: ['one', 1, '0s'],
          object: { kind: 'PartialObjectMetadata', metadata: { name: 'one' } },
        },
      ],
    });
    const none = await front.ask(`GET ${configMaps}?includeObject=None`, undefined, asTable);
    expect(none.json).toMatchObject({ rows: [{ object: null }] });
    const whole = await front.ask(`GET ${configMaps}?includeObject=Object`, undefined, asTable);
    expect(whole.json).toMatchObject({
      rows: [{ object: { kind: 'ConfigMap', data: { a: 'b' } } }],
    });
  });

  it('as metadata only leaves the rest out', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const { json } = await front.ask(`GET ${configMaps}`, undefined, { accept });
    expect(json).toMatchObject({ kind: 'PartialObjectMetadataList' });
    const [first] = json?.['items'] as Record<string, unknown>[];
    expect(Object.keys(first ?? {})).toEqual(['kind', 'apiVersion', 'metadata']);
  });
});

describe('documents', () => {
  it('have the version with the mark of the sandbox, and health', async () => {
    const { json } = await front.ask('GET /version');
    expect(json).toMatchObject({ major: '1', gitVersion: 'v1.36.3+millrace-sandbox' });
    for (const path of ['/healthz', '/livez', '/readyz']) {
      expect((await front.ask(`GET ${path}`)).text).toBe('ok');
    }
  });

  it.each([
    ['/api', 'APIVersions'],
    ['/apis', 'APIGroupList'],
    ['/apis/batch', 'APIGroup'],
    ['/apis/batch/v1', 'APIResourceList'],
  ])('at %s are %s', async (path, kind) => {
    expect((await front.ask(`GET ${path}`)).json).toMatchObject({ kind });
  });

  it('of discovery come in one piece when asked, and not again when they are known', async () => {
    const accept =
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const first = await front.ask('GET /apis', undefined, { accept });
    expect(first.headers.get('content-type')).toContain('as=APIGroupDiscoveryList');
    expect(first.json).toMatchObject({ kind: 'APIGroupDiscoveryList' });
    const tag = first.headers.get('etag') ?? '';
    const again = await front.ask('GET /apis', undefined, { accept, 'if-none-match': tag });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
  });

  it('of OpenAPI v3 are where the index says', async () => {
    const { json } = await front.ask('GET /openapi/v3');
    const paths = json?.['paths'] as Record<string, { serverRelativeURL: string }>;
    const document = await front.ask(`GET ${paths['apis/batch/v1']?.serverRelativeURL ?? ''}`);
    expect(document.json).toMatchObject({ openapi: '3.0.0' });
  });

  it('of OpenAPI v2 come as protobuf to those who ask for it alone', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const protobuf = await front.ask('GET /openapi/v2', undefined, { accept });
    expect(protobuf.headers.get('content-type')).toContain('proto-openapi.spec.v2.v1.0+protobuf');
    expect((await front.ask('GET /openapi/v2')).json).toMatchObject({ swagger: '2.0' });
  });
});

describe('a review', () => {
  const authorization = '/apis/authorization.k8s.io/v1';

  it.each([
    ['selfsubjectaccessreviews', { allowed: true }],
    ['subjectaccessreviews', { allowed: true }],
    ['namespaces/default/localsubjectaccessreviews', { allowed: true }],
    ['selfsubjectrulesreviews', { incomplete: false }],
  ])('of %s allows everything', async (path, status) => {
    const spec = { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' } };
    const answer = await front.ask(`POST ${authorization}/${path}`, { spec });
    expect(answer).toMatchObject({ status: 201, json: { spec, status } });
  });

  it('of the caller itself returns its user', async () => {
    const { json } = await front.ask('POST /apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(json).toMatchObject({ status: { userInfo: { username: 'millrace-sandbox' } } });
  });

  it('can only be created', async () => {
    expect((await front.ask(`GET ${authorization}/subjectaccessreviews`)).status).toBe(405);
  });
});
