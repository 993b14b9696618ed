/** The schema of a value within an object. */
import type { Schema } from './schema.ts';

/** The schema of a declared field; undefined for any other key, `constructor` too. */
export function propertyOf(schema: Schema, name: string): Schema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the values of a map. */
export function valuesOf({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** The schema of an object's member, which is a declared field or a map entry. */
export function memberSchema(schema: Schema, name: string): Schema | undefined {
  return propertyOf(schema, name) ?? valuesOf(schema);
}
