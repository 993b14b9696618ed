/** The JSON Schema by which our validator judges, from the structural schema of the API server. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { asObject } from './structural-schema.ts';

/** What becomes of a field that the schema does not know. */
export type UnknownFields =
  /** A fault, as with `kubectl apply` (strict field validation). */
  | 'refused'
  /** Left alone: an object that a newer version stored can still be read. */
  | 'ignored';

export function strictSchema(schema: JsonObject, unknown: UnknownFields): JsonObject {
  const { properties, items, additionalProperties, ...rest } = schema;
  const keywords = Object.entries(rest).filter(([name]) => isEnforced(name, rest));
  return {
    ...Object.fromEntries(keywords),
    ...(items === undefined ? {} : { items: strictSchema(asObject(items), unknown) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: strictSchema(asObject(additionalProperties), unknown) }),
    ...(properties === undefined
      ? {}
      : { properties: strictProperties(asObject(properties), unknown) }),
    ...(properties !== undefined && unknown === 'refused' && !preserves(schema)
      ? { additionalProperties: false }
      : {}),
  };
}

function strictProperties(properties: JsonObject, unknown: UnknownFields): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      strictSchema(asObject(value), unknown),
    ]),
  );
}

export function preserves(schema: JsonObject): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** The API server takes `int32` and `int64` as documentation; a date it checks. */
function isEnforced(keyword: string, { format }: JsonObject): boolean {
  if (keyword === 'format') return format === 'date-time';
  return !keyword.startsWith('x-') && keyword !== 'description' && keyword !== 'default';
}
