import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { asObject } from './structural-schema.ts';

/**
 * The value as the API server stores it: a declared field with null counts as absent (apiextensions,
 * pruning of nulls before defaults). A null in a list or in an undeclared field stays.
 */
export function withoutNulls(schema: JsonObject, value: Json): Json {
  if (Array.isArray(value)) {
    const items = schema['items'];
    if (items === undefined) return value as Json;
    return value.map((item: Json) => withoutNulls(asObject(items), item));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).flatMap(([key, member]) => {
      const declared = schemaOf(schema, key);
      if (declared === undefined) return [[key, member]];
      return member === null || member === undefined ? [] : [[key, withoutNulls(declared, member)]];
    }),
  );
}

/** The schema of a member of an object, declared by name or for every key. */
export function schemaOf(schema: JsonObject, key: string): JsonObject | undefined {
  const declared =
    ownMember(asObject(schema['properties'] ?? {}), key) ?? schema['additionalProperties'];
  return declared === undefined ? undefined : asObject(declared);
}
