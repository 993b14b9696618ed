/** OpenAPI definitions of the served kinds. `$ref` is the bare name of another definition. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import {
  builtinDefinitionName,
  builtinDefinitions,
  type SchemaDefinition,
} from '../../registry/builtin-schemas.ts';
import type { ResourceType } from '../../registry/resource-type.ts';
import type { VirtualResource } from '../virtual-resources.ts';
import { described, ofEveryObject } from './descriptions.ts';

export type Definitions = Record<string, SchemaDefinition>;

type Kind = Pick<ResourceType | VirtualResource, 'group' | 'version' | 'kind'>;

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/**
 * `com.practice.api.v1alpha1.JobFlow` for a custom kind, and the API server's name for a built-in
 * one.
 */
export function definitionName({ group, version, kind }: Kind): string {
  const reversed = group.split('.').reverse().join('.');
  return builtinDefinitionName(group, version, kind) ?? `${reversed}.${version}.${kind}`;
}

const gvkKey = 'x-kubernetes-group-version-kind';

/** The extension by which clients find a definition. */
function gvkOf({ group, version, kind }: Kind): readonly JsonObject[] {
  return [{ group, kind, version }];
}

/** Adds the definitions of a type and of its list, with everything that they refer to. */
export function addType(definitions: Definitions, type: ResourceType): void {
  const name = definitionName(type);
  addBuiltin(definitions, `${meta}.ListMeta`);
  definitions[`${name}List`] = listDefinition(type, name);
  if (builtinDefinitions.definitions[name] === undefined) {
    addBuiltin(definitions, `${meta}.ObjectMeta`);
    definitions[name] = customDefinition(type);
  } else {
    addKind(definitions, type);
  }
}

/**
 * Adds the definition of a built-in kind, with its group, version and kind and everything that it
 * refers to.
 */
export function addKind(definitions: Definitions, kind: Kind): void {
  const name = definitionName(kind);
  addBuiltin(definitions, name);
  const definition = definitions[name];
  if (definition === undefined) return;
  definitions[name] = { ...described(name, definition), [gvkKey]: gvkOf(kind) };
}

function addBuiltin(definitions: Definitions, name: string): void {
  const definition = builtinDefinitions.definitions[name];
  if (definition === undefined || definitions[name] !== undefined) return;
  definitions[name] = described(name, definition);
  for (const reference of referencesOf(definition)) addBuiltin(definitions, reference);
}

function referencesOf(value: Json | undefined): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(referencesOf);
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [part] : referencesOf(part),
  );
}

const apiVersion = { type: 'string', description: ofEveryObject.apiVersion };
const kindName = { type: 'string', description: ofEveryObject.kind };

function customDefinition(type: ResourceType): SchemaDefinition {
  const schema = (type.schema ?? {}) as JsonObject;
  const metadata = {
    description: ofEveryObject.metadata,
    allOf: [{ $ref: `${meta}.ObjectMeta` }],
  };
  return {
    ...schema,
    type: 'object',
    properties: {
      apiVersion,
      kind: kindName,
      metadata,
      ...withoutIdentity(schema['properties'] as JsonObject | undefined),
    },
    [gvkKey]: gvkOf(type),
  };
}

function withoutIdentity(properties: JsonObject = {}): JsonObject {
  const own = Object.entries(properties);
  return Object.fromEntries(
    own.filter(([name]) => name !== 'apiVersion' && name !== 'kind' && name !== 'metadata'),
  );
}

function listDefinition(
  { group, version, listKind }: ResourceType,
  name: string,
): SchemaDefinition {
  return {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion,
      items: { type: 'array', items: { $ref: name } },
      kind: kindName,
      metadata: { allOf: [{ $ref: `${meta}.ListMeta` }] },
    },
    [gvkKey]: gvkOf({ group, version, kind: listKind }),
  };
}
