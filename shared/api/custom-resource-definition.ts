import type { Json, JsonObject, NewObject } from '#shared/domain/objects.ts';
import type { KindDefinition, PrinterColumn } from './kind-definition.ts';
import { structuralSchema } from './structural-schema.ts';

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
          schema: { openAPIV3Schema: openApiSchema(kind) },
        },
      ],
    },
  };
}

/** The schema of the whole object: `apiVersion`, `kind`, `metadata`, `spec` and `status`. */
export function openApiSchema(kind: KindDefinition): JsonObject {
  return {
    description: kind.says,
    type: 'object',
    required: ['metadata', 'spec'],
    ...(kind.rules.length === 0
      ? {}
      : { 'x-kubernetes-validations': kind.rules as unknown as Json }),
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

/**
 * CEL takes the limit of a name into account only when both names are declared, and no rule on the
 * whole object fits the cost limit without it.
 */
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
