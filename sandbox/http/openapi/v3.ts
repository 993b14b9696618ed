/** OpenAPI v3, one document for each group version (KEP-2896). */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { ServedVersion } from '../discovery.ts';
import { kubernetesVersion } from '../version.ts';
import { partsOf } from './parts.ts';

export function openapiV3(version: ServedVersion): JsonObject {
  const { definitions, paths } = partsOf(version);
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
