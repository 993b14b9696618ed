/**
 * What a created object is compared with. A built-in kind is a Go struct whose nested structs are
 * there from the start, which its schema shows as `default: {}`; a custom resource starts with
 * nothing. So `f:spec` alone of a new Job has no `.`, that of a new JobFlow has one.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Schema } from '../schema/schema.ts';
import { isObject } from './json-value.ts';
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
  const struct = Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([, property]) => isEmptyObject(property))
      .map(([name, property]) => [name, emptyStruct(property)]),
  );
  structs.set(schema, struct);
  return struct;
}

function isEmptyObject({ type, default: value }: Schema): boolean {
  return type === 'object' && isObject(value) && Object.keys(value).length === 0;
}
