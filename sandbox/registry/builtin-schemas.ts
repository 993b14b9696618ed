/**
 * Schemas of the built-in kinds, as a real API server publishes them (test/support/generate-builtin-schemas.ts). They
 * have structure, merge keys and the defaults of OpenAPI, which are Go's zero values and a few constants. Other
 * defaults are code of the server.
 */
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { Schema } from '../schema/schema.ts';
import published from './builtin-schemas.json' with { type: 'json' };

/** As in OpenAPI v3; a `$ref` is the bare name of another definition. */
export type SchemaDefinition = JsonObject;
export type SchemaDefinitions = Readonly<Record<string, SchemaDefinition>>;

interface Published {
  /** `batch/v1 Job` to the name of its definition. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: SchemaDefinitions;
  /** By definition and field number: `name`, `name!` if zero is a value, `&inlined type`. */
  readonly protobuf: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The content of the generated file, with unresolved references. */
export const builtinDefinitions = published as unknown as Published;

/** The definition's name of a kind, as io.k8s.api.batch.v1.Job. */
export function builtinDefinitionName(
  group: string,
  version: string,
  kind: string,
): string | undefined {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return builtinDefinitions.kinds[`${apiVersion} ${kind}`];
}

/**
 * The schema of a whole object without `metadata`, with every reference resolved. Always the same object. Undefined for
 * kinds that the sandbox does not know.
 *
 * Beyond what is published: an IntOrString carries x-kubernetes-int-or-string, a Quantity the format
 * `quantity`, a MicroTime `micro-time`, times may be null, and what holds anything (RawExtension, FieldsV1, JSON) x-kubernetes-preserve-unknown-
 * fields. So does a definition within itself (JSONSchemaProps): the result has no cycle.
 */
export function builtinSchema(group: string, version: string, kind: string): Schema | undefined {
  const name = builtinDefinitionName(group, version, kind);
  if (name === undefined) return undefined;
  let schema = roots.get(name);
  if (schema === undefined) {
    schema = withoutMetadata(resolvedByName(name, []));
    roots.set(name, schema);
  }
  return schema;
}

const roots = new Map<string, Schema>();
const resolvedDefinitions = new Map<string, Schema>();

const anything: Schema = Object.freeze({
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
});

const special: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { 'x-kubernetes-int-or-string': true },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': {
    format: 'quantity',
    oneOf: [{ type: 'string' }, { type: 'number' }],
  },
  // Go writes an unset time as null.
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': {
    type: 'string',
    format: 'date-time',
    nullable: true,
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': {
    type: 'string',
    format: 'micro-time',
    nullable: true,
  },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': anything,
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': anything,
};

/** `within`: the definitions that contain this one. */
function resolvedByName(name: string, within: readonly string[]): Schema {
  if (within.includes(name)) return anything;
  const known = special[name] ?? resolvedDefinitions.get(name);
  if (known !== undefined) return known;
  const definition = builtinDefinitions.definitions[name];
  if (definition === undefined) throw new Error(`no definition ${name} has been generated`);
  const schema = resolved(definition, [...within, name]);
  // A schema that was cut off within another definition must not be reused elsewhere.
  if (within.length === 0 || !isRecursive(name)) resolvedDefinitions.set(name, schema);
  return schema;
}

function isRecursive(name: string): boolean {
  return name.includes('.JSONSchemaProps');
}

function resolved(definition: SchemaDefinition, within: readonly string[]): Schema {
  const { $ref, allOf, ...rest } = definition;
  const only = Array.isArray(allOf) ? (allOf as readonly JsonObject[])[0]?.['$ref'] : $ref;
  const base = typeof only === 'string' ? resolvedByName(only, within) : undefined;
  const own: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(rest)) own[key] = resolvedPart(key, value, within);
  if (Object.keys(own).length === 0) return { 'x-kubernetes-preserve-unknown-fields': true };
  return Object.freeze(own);
}

function resolvedPart(key: string, value: Json | undefined, within: readonly string[]): unknown {
  if (!isObject(value)) return value;
  if (key === 'properties') {
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, resolved(part as JsonObject, within)]),
    );
  }
  return key === 'items' || key === 'additionalProperties' ? resolved(value, within) : value;
}

function withoutMetadata(schema: Schema): Schema {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => name !== 'metadata'),
  );
  return Object.freeze({ ...schema, properties });
}
