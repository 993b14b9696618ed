import { describe, expect, it } from 'vitest';
import { groupVersionOf } from '#shared/domain/objects.ts';
import type { Schema } from '../schema/schema.ts';
import { builtinDefinitions, builtinSchema } from './builtin-schemas.ts';

function schemaOf(group: string, version: string, kind: string): Schema {
  const schema = builtinSchema(group, version, kind);
  if (schema === undefined) throw new Error(`no schema of ${kind}`);
  return schema;
}

function at(schema: Schema, path: string): Schema | undefined {
  return path
    .split('.')
    .reduce<Schema | undefined>(
      (part, name) => (name === '[]' ? part?.items : part?.properties?.[name]),
      schema,
    );
}

describe('the schema of a built-in kind', () => {
  const job = schemaOf('batch', 'v1', 'Job');

  it('is resolved down to the fields of containers, with merge keys', () => {
    expect(at(job, 'spec.template.spec.containers')).toMatchObject({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    });
    expect(at(job, 'spec.template.spec.containers.[].image')).toEqual({ type: 'string' });
  });

  it('leaves metadata out at the root only', () => {
    expect(job.properties).not.toHaveProperty('metadata');
    expect(at(job, 'spec.template.metadata.labels')?.additionalProperties).toMatchObject({
      type: 'string',
    });
  });

  it('marks what may be a number or a text', () => {
    expect(at(job, 'spec.template.spec.containers.[].ports.[].containerPort')).toMatchObject({
      type: 'integer',
    });
    const probe = 'spec.template.spec.containers.[].livenessProbe.httpGet.port';
    expect(at(job, probe)).toEqual({ 'x-kubernetes-int-or-string': true });
    const requests = at(job, 'spec.template.spec.containers.[].resources.requests');
    expect(requests?.additionalProperties).toMatchObject({ format: 'quantity' });
  });

  it('keeps a default that is written beside a reference', () => {
    expect(at(job, 'spec.template')).toMatchObject({ default: {}, type: 'object' });
  });

  it('is the same object each time', () => {
    expect(builtinSchema('batch', 'v1', 'Job')).toBe(job);
  });

  it('of a kind that is not served is undefined', () => {
    expect(builtinSchema('batch', 'v2', 'Job')).toBeUndefined();
    expect(builtinSchema('', 'v1', 'ReplicationController')).toBeUndefined();
  });

  it('of a definition that holds itself ends where it repeats', () => {
    const crd = schemaOf('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition');
    const root = at(crd, 'spec.versions.[].schema.openAPIV3Schema');
    expect(root?.properties?.['pattern']).toEqual({ type: 'string' });
    expect(root?.properties?.['not']).toMatchObject({
      'x-kubernetes-preserve-unknown-fields': true,
    });
    expect(() => JSON.stringify(crd)).not.toThrow();
  });
});

describe('the generated definitions', () => {
  it.each(Object.keys(builtinDefinitions.kinds))('resolve every reference of %s', (kind) => {
    const [apiVersion = '', name = ''] = kind.split(' ');
    const { group, version } = groupVersionOf(apiVersion);
    expect(JSON.stringify(builtinSchema(group, version, name))).not.toContain('"$ref":"');
  });

  it('carry no sentence of the API server', () => {
    const sentences: unknown[] = [];
    for (const definition of Object.values(builtinDefinitions.definitions)) {
      if (typeof definition['description'] === 'string') sentences.push(definition['description']);
    }
    expect(sentences).toEqual([]);
  });
});
