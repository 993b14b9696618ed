/** The schema of a whole manifest for Millrace's validator: the CRD's, with what Kubernetes adds. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { apiVersionOf } from '#shared/domain/objects.ts';
import { openApiSchema } from './custom-resource-definition.ts';
import type { KindDefinition } from './kind-definition.ts';
import { dnsSubdomainPattern } from './step.ts';
import { asObject } from './structural-schema.ts';

/** The beginning of a DNS-1123 label, which letters and digits are appended to. */
const dnsLabelPrefixPattern = '^[a-z0-9][-a-z0-9]*$';

const stringMap = { type: 'object', additionalProperties: { type: 'string' } } as const;

export function objectSchema(kind: KindDefinition): JsonObject {
  const schema = openApiSchema(kind);
  return {
    ...schema,
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      ...asObject(schema['properties']),
      apiVersion: { type: 'string', enum: [apiVersionOf(kind.resource)] },
      kind: { type: 'string', enum: [kind.resource.kind] },
      metadata: metadata(kind),
    },
  };
}

/** The API server checks the rest of ObjectMeta. */
function metadata({ name }: KindDefinition): JsonObject {
  return {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: {
      name: { type: 'string', ...(name ?? { maxLength: 253, pattern: dnsSubdomainPattern }) },
      generateName: {
        type: 'string',
        ...(name === undefined
          ? {}
          : { maxLength: name.maxLength, pattern: dnsLabelPrefixPattern }),
      },
      namespace: { type: 'string' },
      labels: stringMap,
      annotations: stringMap,
    },
  };
}
