/**
 * The empty object with which a created one is compared. A built-in kind is a Go struct: its
 * required fields and its nested structs, which its schema shows as `default: {}`, exist from the
 * start. A custom resource starts with nothing. So `f:spec` of a new Job has no `.`, and that of a
 * JobFlow has one.
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

/** A required field, which Go writes even when it is unset: lists and maps as null. */
function zero({ type }: Schema): Json {
  if (type === 'string') return '';
  if (type === 'boolean') return false;
  return type === 'integer' || type === 'number' ? 0 : null;
}
