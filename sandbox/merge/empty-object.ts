/**
 * What a created object is compared with. A built-in kind is a Go struct whose nested structs are
 * there from the start, which its schema shows as `default: {}`, and so are its required fields; a
 * custom resource starts with nothing. So `f:spec` of a new Job has no `.`, that of a JobFlow has.
 */
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { Schema } from '../schema/schema.ts';
import { isBuiltIn } from './reset-fields.ts';

const structs = new WeakMap<Schema, JsonObject>();

export function emptyObject(object: JsonObject, schema: Schema | undefined): JsonObject {
  const { apiVersion, kind } = object;
  return schema && isBuiltIn(object)
    ? { ...emptyStruct(schema), apiVersion, kind }
    : { apiVersion, kind };
}

function emptyStruct(schema: Schema): JsonObject {
  const known = structs.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, required = [] } = schema;
  const struct: Record<string, Json> = {};
  for (const [name, property] of Object.entries(properties)) {
    if (isStruct(property)) struct[name] = emptyStruct(property);
    else if (required.includes(name)) struct[name] = zero(property);
  }
  structs.set(schema, struct);
  return struct;
}

function isStruct({ type, default: value }: Schema): boolean {
  return type === 'object' && isObject(value) && Object.keys(value).length === 0;
}

/** Of a required field, which Go writes also when it is unset: lists and maps as null. */
function zero({ type }: Schema): Json {
  if (type === 'string') return '';
  if (type === 'boolean') return false;
  return type === 'integer' || type === 'number' ? 0 : null;
}
