/** OpenAPI v3: one document for each group version (KEP-2896). */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { ServedVersion } from '../discovery.ts';
import { kubernetesVersion } from '../version.ts';
import { partsOf } from './parts.ts';
import type { Dialect } from './paths.ts';

const dialect: Dialect = {
  parameter: (name, type, place) => ({
    name,
    in: place,
    ...(place === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  }),
  operation: ({ reads, writes, answers }) => ({
    ...(writes === undefined ? {} : { requestBody: { content: contentOf(writes, reads) } }),
    responses: { 200: { description: 'OK', content: contentOf(['application/json'], answers) } },
  }),
};

function contentOf(mediaTypes: readonly string[], name: string | undefined): JsonObject {
  const schema = name === undefined ? { type: 'object' } : { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
}

export function openapiV3(version: ServedVersion): JsonObject {
  const { definitions, paths } = partsOf([version], dialect);
  const status = { group: '', version: 'v1', kind: 'Status' };
  definitions['io.k8s.apimachinery.pkg.apis.meta.v1.Status'] ??= {
    type: 'object',
    'x-kubernetes-group-version-kind': [status],
  };
  return {
    openapi: '3.0.0',
    info: { title: 'Millrace sandbox', version: kubernetesVersion },
    paths,
    components: { schemas: withFullReferences(definitions) as JsonObject },
  };
}

function withFullReferences(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(withFullReferences);
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string'
        ? `#/components/schemas/${part}`
        : withFullReferences(part ?? null),
    ]),
  );
}
