import type { Json, JsonObject, NewObject } from '#shared/domain/objects.ts';
import type { KindDefinition, PrinterColumn } from './kind-definition.ts';
import { asObject, structuralSchema } from './structural-schema.ts';

/** The category that `kubectl get millrace` lists. */
export const category = 'millrace';

/** The CustomResourceDefinition of a kind, ready to be applied. Same kind, same bytes. */
export function customResourceDefinition(kind: KindDefinition): NewObject & JsonObject {
  const { group, plural, version } = kind.resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      labels: { 'app.kubernetes.io/part-of': 'millrace' },
    },
    spec: {
      group,
      scope: kind.resource.namespaced ? 'Namespaced' : 'Cluster',
      names: names(kind),
      conversion: { strategy: 'None' },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(kind.status === undefined ? {} : { subresources: { status: {} } }),
          ...(kind.selectableFields.length === 0
            ? {}
            : { selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })) }),
          additionalPrinterColumns: kind.columns.map(printerColumn),
          schema: { openAPIV3Schema: served(openApiSchema(kind)) },
        },
      ],
    },
  };
}

/**
 * The schema that the API server gets. A list is atomic unless its schema says otherwise: for other lists, the owner of
 * each field is stored in the object and written again with every status. Rules are left out, because the API server
 * evaluates rules of a definition at every status write. They are in the admission policy.
 */
function served(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties, ...rest } = schema;
  const kept = Object.entries(rest).filter(([keyword]) => !keyword.startsWith('x-millrace-'));
  return {
    ...Object.fromEntries(kept),
    ...(items === undefined
      ? {}
      : {
          'x-kubernetes-list-type': rest['x-kubernetes-list-type'] ?? 'atomic',
          items: served(asObject(items)),
        }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: served(asObject(additionalProperties)) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(asObject(properties)).map(([name, value]) => [
              name,
              served(asObject(value)),
            ]),
          ),
        }),
  };
}

/**
 * The schema of the whole object: `apiVersion`, `kind`, `metadata`, `spec` and `status`, with Millrace's own keywords
 * (field.ts).
 */
export function openApiSchema(kind: KindDefinition): JsonObject {
  return {
    description: kind.says,
    type: 'object',
    required: ['metadata', 'spec'],
    ...(kind.rules.length === 0 ? {} : { 'x-millrace-rules': kind.rules as unknown as Json }),
    properties: {
      apiVersion: {
        type: 'string',
        description: `Always ${kind.resource.group}/${kind.resource.version}.`,
      },
      kind: { type: 'string', description: `Always ${kind.resource.kind}.` },
      metadata: metadataSchema(kind),
      spec: structuralSchema(kind.spec),
      ...(kind.status === undefined ? {} : { status: structuralSchema(kind.status) }),
    },
  };
}

/** Of a generated name, only the beginning is known when the schema is checked. */
function metadataSchema({ name }: KindDefinition): JsonObject {
  if (name === undefined) return { type: 'object' };
  return {
    type: 'object',
    properties: {
      name: { type: 'string', ...name },
      generateName: { type: 'string', maxLength: name.maxLength },
    },
  };
}

function names({ resource, shortNames }: KindDefinition): JsonObject {
  return {
    plural: resource.plural,
    singular: resource.kind.toLowerCase(),
    kind: resource.kind,
    listKind: `${resource.kind}List`,
    shortNames: [...shortNames],
    categories: [category],
  };
}

function printerColumn({ name, type, jsonPath, says, wide }: PrinterColumn): JsonObject {
  return { name, type, description: says, jsonPath, ...(wide === true ? { priority: 1 } : {}) };
}
