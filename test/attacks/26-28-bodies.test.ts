/** Bodies that try to exhaust or confuse their reader, sent over a socket. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Served, served } from '#sandbox/testing';

const configMaps = '/api/v1/namespaces/default/configmaps';
let front: Served;
beforeAll(async () => (front = await served()));
afterAll(() => front[Symbol.asyncDispose]());

const create = (body: string, type = 'application/json') =>
  front.ask(`POST ${configMaps}`, body, { 'content-type': type });

function configMap(name: string, data: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":${data}}`;
}

describe('#26 JSON', () => {
  test.each([
    ['lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['maps', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['brackets that are never closed', '['.repeat(100_000)],
  ])('#26 of %s, 100,000 deep, is refused as a request', async (_what, text) => {
    const { status, json } = await create(configMap('deep', text));
    expect(status).toBe(400);
    expect(json).toMatchObject({ kind: 'Status', reason: 'BadRequest' });
    expect(json?.['message']).toContain('exceeded max depth');
  });

  test('#26 that is as deep as it may be is read', async () => {
    const { status, json } = await create(configMap('nested', '['.repeat(990) + ']'.repeat(990)));
    expect(status).toBe(400);
    expect(json?.['message']).toContain('cannot unmarshal array');
  });

  test('#26 with brackets inside texts is not deep', async () => {
    const { status } = await create(configMap('texts', `{"a":"${'['.repeat(5_000)}\\""}`));
    expect(status).toBe(201);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '#26 with the key %s keeps it as any other, and nothing else changes',
    async (key) => {
      const name = `key-${key.toLowerCase().replaceAll('_', '')}`;
      const { status } = await create(configMap(name, `{"${key}":"mine"}`));
      expect(status).toBe(201);
      const { text } = await front.ask(`GET ${configMaps}/${name}`);
      expect(text).toContain(`"data":{"${key}":"mine"}`);
      expect(({} as Record<string, unknown>)['mine']).toBeUndefined();
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );
});

describe('#27 YAML', () => {
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\n';
  const lines = Array.from({ length: 12 }, (_, at) =>
    at === 0
      ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
      : `a${at}: &a${at} [${`*a${at - 1}, `.repeat(9).slice(0, -2)}]`,
  );
  const merges = Array.from({ length: 12 }, (_, at) =>
    at === 0
      ? 'm0: &m0 {x: y}'
      : `m${at}: &m${at} {<<: [${`*m${at - 1}, `.repeat(9).slice(0, -2)}]}`,
  );

  test.each([
    ['aliases that expand', lines.join('\n')],
    ['merge keys that expand', merges.join('\n')],
    ['lists 100,000 deep', `data: ${'['.repeat(100_000)}`],
    ['dashes 100,000 deep', `data:\n  ${'- '.repeat(100_000)}x`],
    ['an alias of nothing', 'data: *none'],
  ])('#27 of %s is refused as a request', async (_what, text) => {
    const { status, json } = await create(`${head}${text}\n`, 'application/yaml');
    expect(status).toBe(400);
    expect(json?.['message']).toContain('error converting YAML to JSON: yaml: ');
  });
});

describe('#28 a text for a pattern', () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'texts.attack.test' },
    spec: {
      group: 'attack.test',
      scope: 'Cluster',
      names: { plural: 'texts', singular: 'text', kind: 'Text', listKind: 'TextList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                schema: { type: 'string', pattern: '^(a+)+$' },
                rule: {
                  type: 'string',
                  'x-kubernetes-validations': [{ rule: "self.matches('^(a|aa)+$')" }],
                },
              },
            },
          },
        },
      ],
    },
  };

  test.each(['schema', 'rule'])('#28 of a %s that would backtrack is answered', async (field) => {
    await front.ask('POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    // With backtracking, 40 characters would take longer than any test waits.
    const { status, json } = await front.ask('POST /apis/attack.test/v1/texts', {
      apiVersion: 'attack.test/v1',
      kind: 'Text',
      metadata: { name: 'a' },
      [field]: `${'a'.repeat(40)}!`,
    });
    expect(status).toBe(422);
    expect(json).toMatchObject({ reason: 'Invalid' });
  });
});
