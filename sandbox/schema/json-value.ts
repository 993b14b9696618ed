/** Small questions to JSON values that every check of a schema asks. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Schema } from './schema.ts';

export { isList, isObject } from '#shared/domain/json-value.ts';

/** A number that the API server decodes to an int64. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
}

/** The schema of a declared field; undefined for any other key, `constructor` too. */
export function propertyOf(schema: Schema, name: string): Schema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the values of a map. */
export function valuesOf({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** The schema that applies to a member of an object, declared or of a map. */
export function memberSchema(schema: Schema, name: string): Schema | undefined {
  return propertyOf(schema, name) ?? valuesOf(schema);
}

/** A copy of `object` that lacks one member. */
export function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}
