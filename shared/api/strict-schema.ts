/** The JSON Schema of Millrace's validator, made from the API server's structural schema. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { asObject } from './structural-schema.ts';

/** As for `kubectl apply`, an undeclared field is a fault, unless the object is passed on whole. */
export function strictSchema(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties, ...rest } = schema;
  const keywords = Object.entries(rest).filter(([name]) => isEnforced(name, rest));
  return {
    ...(schema['x-kubernetes-int-or-string'] === true ? { type: ['integer', 'string'] } : {}),
    ...Object.fromEntries(keywords),
    ...(items === undefined ? {} : { items: strictSchema(asObject(items)) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: strictSchema(asObject(additionalProperties)) }),
    ...(properties === undefined ? {} : { properties: strictProperties(asObject(properties)) }),
    ...(properties !== undefined && !preserves(schema) ? { additionalProperties: false } : {}),
  };
}

function strictProperties(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, strictSchema(asObject(value))]),
  );
}

function preserves(schema: JsonObject): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** The API server treats `int32` and `int64` as documentation, but checks dates. */
function isEnforced(keyword: string, { format }: JsonObject): boolean {
  if (keyword === 'format') return format === 'date-time';
  return !keyword.startsWith('x-') && keyword !== 'description' && keyword !== 'default';
}
