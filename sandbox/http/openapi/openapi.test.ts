import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { builtInTypes } from '../../registry/built-in-types.ts';
import type { ResourceType } from '../../registry/resource-type.ts';
import { servedGroups } from '../discovery.ts';
import { wireFields } from '../protobuf-reader.ts';
import { openapiV2 } from './v2.ts';
import { openapiV2Protobuf } from './v2-protobuf.ts';
import { openapiV3 } from './v3.ts';

const custom: ResourceType = {
  group: 'api.practice.com',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  singular: 'thing',
  listKind: 'ThingList',
  namespaced: true,
  shortNames: [],
  categories: [],
  subresources: ['status'],
  schema: {
    type: 'object',
    description: 'A thing.',
    properties: {
      spec: { type: 'object', description: 'What it is.', nullable: true },
      status: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { phase: { type: 'string' } },
      },
    },
  },
  columns: [],
  row: () => [],
  selectableFields: [],
  hasGeneration: true,
  isBuiltIn: false,
};

const groups = servedGroups([...builtInTypes().map(({ type }) => type), custom]);
const versions = groups.flatMap(({ name, versions: all }) =>
  all.map((version) => ({ path: `${name}/${version.version}`, version })),
);

function references(value: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(value, (key, part: unknown) => {
    if (key === '$ref' && typeof part === 'string') found.push(part);
    return part;
  });
  return found;
}

const parts = (document: JsonObject, ...path: string[]) =>
  path.reduce<JsonObject>((part, name) => part[name] as JsonObject, document);

describe('OpenAPI v3', () => {
  it.each(versions)('of $path holds all that it refers to', ({ version }) => {
    const document = openapiV3(version);
    const known = Object.keys(parts(document, 'components', 'schemas'));
    const wanted = references(document).map((name) => name.replace('#/components/schemas/', ''));
    expect(wanted.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('names the kind of each operation, and the parameters of server-side validation', () => {
    const [{ version } = versions[0]!] = versions.filter(({ path }) => path === 'batch/v1');
    const item = parts(
      openapiV3(version),
      'paths',
      '/apis/batch/v1/namespaces/{namespace}/jobs/{name}',
    );
    const patch = item['patch'] as JsonObject;
    expect(patch['x-kubernetes-group-version-kind']).toEqual({
      group: 'batch',
      version: 'v1',
      kind: 'Job',
    });
    const names = (patch['parameters'] as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });

  it('keeps the words of a custom resource and adds what every object has', () => {
    const [{ version } = versions[0]!] = versions.filter(
      ({ path }) => path === 'api.practice.com/v1',
    );
    const schemas = parts(openapiV3(version), 'components', 'schemas');
    expect(schemas['com.practice.api.v1.Thing']).toMatchObject({
      description: 'A thing.',
      properties: { spec: { description: 'What it is.' }, kind: { type: 'string' } },
      'x-kubernetes-group-version-kind': [
        { group: 'api.practice.com', version: 'v1', kind: 'Thing' },
      ],
    });
  });
});

describe('OpenAPI v2', () => {
  const document = openapiV2(groups);
  const definitions = Object.keys(document['definitions'] as JsonObject);

  it('holds all that it refers to, and nothing that v2 does not know', () => {
    const wanted = references(document).map((name) => name.replace('#/definitions/', ''));
    expect(wanted.filter((name) => !definitions.includes(name))).toEqual([]);
    const pod = parts(document, 'definitions', 'io.k8s.api.core.v1.PodSpec');
    expect(JSON.stringify(pod)).not.toMatch(/"(allOf|oneOf|nullable)":/);
    const thing = parts(document, 'definitions', 'com.practice.api.v1.Thing', 'properties', 'spec');
    expect(thing).toEqual({ type: 'object', description: 'What it is.' });
  });

  it('lists no field of what may have others, since kubectl would refuse those', () => {
    const of = ['definitions', 'com.practice.api.v1.Thing', 'properties', 'status'];
    expect(parts(document, ...of)).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
  });

  it('says the same in protobuf', () => {
    const names: string[] = [];
    for (const { number, value } of wireFields(openapiV2Protobuf(document))) {
      if (number !== 9 || typeof value === 'bigint') continue;
      for (const definition of wireFields(value)) {
        for (const field of wireFields(definition.value as Uint8Array)) {
          if (field.number === 1) names.push(Buffer.from(field.value as Uint8Array).toString());
        }
      }
    }
    expect(names).toEqual(definitions);
  });
});
