/** OpenAPI v2 (swagger): one document for everything that is served, for clients without v3. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { ServedGroup } from '../discovery.ts';
import { kubernetesVersion } from '../version.ts';
import { partsOf } from './parts.ts';
import type { Dialect } from './paths.ts';

const dialect: Dialect = {
  parameter: (name, type, place) => ({
    name,
    in: place,
    type,
    uniqueItems: true,
    ...(place === 'path' ? { required: true } : {}),
  }),
  operation: ({ reads, writes, answers }) => ({
    ...(writes === undefined
      ? {}
      : {
          consumes: writes,
          parameters: [{ name: 'body', in: 'body', required: true, schema: schemaOf(reads) }],
        }),
    produces: ['application/json'],
    responses: { 200: { description: 'OK', schema: schemaOf(answers) } },
  }),
};

function schemaOf(name: string | undefined): JsonObject {
  return name === undefined ? { type: 'object' } : { $ref: `#/definitions/${name}` };
}

export function openapiV2(groups: readonly ServedGroup[]): JsonObject {
  const versions = groups.flatMap((group) => group.versions);
  const { definitions, paths } = partsOf(versions, dialect);
  definitions['io.k8s.apimachinery.pkg.apis.meta.v1.Status'] ??= { type: 'object' };
  const entries = Object.entries(definitions);
  return {
    swagger: '2.0',
    info: { title: 'Millrace sandbox', version: kubernetesVersion },
    paths,
    definitions: Object.fromEntries(entries.map(([name, schema]) => [name, schemaInV2(schema)])),
  };
}

/** Keywords of v3 that v2 lacks. The API server omits the same ones for custom resources. */
const unknownInV2 = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable', '$ref', 'default']);
/** If a schema lists any fields, kubectl refuses all others (apiextensions-apiserver, openapi/v2/conversion.go). */
const brokenWhereOpen = new Set(['type', 'items', 'properties']);
const nested = new Set(['items', 'additionalProperties']);

function schemaInV2(schema: JsonObject): JsonObject {
  const { allOf, oneOf } = schema;
  const only = Array.isArray(allOf) ? (allOf as readonly JsonObject[])[0]?.['$ref'] : undefined;
  const reference = schema['$ref'] ?? only;
  const result: Record<string, Json | undefined> = {};
  if (typeof reference === 'string') result['$ref'] = `#/definitions/${reference}`;
  else if (Array.isArray(oneOf) && schema['type'] === undefined) result['type'] = 'string';
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  for (const [key, value] of Object.entries(schema)) {
    if (unknownInV2.has(key) || (isOpen && brokenWhereOpen.has(key))) continue;
    result[key] = partInV2(key, value);
  }
  return result;
}

function partInV2(key: string, value: Json | undefined): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (nested.has(key)) return schemaInV2(value as JsonObject);
  if (key !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, schemaInV2(part as JsonObject)]),
  );
}
