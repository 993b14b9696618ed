/**
 * Turns a TypeBox schema into the structural schema of a CustomResourceDefinition. That is plain
 * JSON, with `additionalProperties` for a record, a type beside every enum, and nothing that the
 * API server refuses.
 */
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

export function structuralSchema(schema: object): JsonObject {
  return convert(JSON.parse(JSON.stringify(schema)) as JsonObject);
}

function convert(schema: JsonObject): JsonObject {
  const { patternProperties, properties, items, description, ...rest } = schema;
  return {
    ...(description === undefined ? {} : { description }),
    ...('enum' in rest && !('type' in rest) ? { type: 'string' } : {}),
    ...rest,
    ...(properties === undefined ? {} : { properties: convertEach(asObject(properties)) }),
    ...(items === undefined ? {} : { items: convert(asObject(items)) }),
    ...(patternProperties === undefined
      ? {}
      : { additionalProperties: convert(onlyValue(asObject(patternProperties))) }),
  };
}

function convertEach(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, convert(asObject(schema))]),
  );
}

/** TypeBox writes a record of strings as one pattern that matches every key. */
function onlyValue(patternProperties: JsonObject): JsonObject {
  const [schema, ...more] = Object.values(patternProperties);
  if (more.length > 0) throw new TypeError('a structural schema takes no pattern for its keys');
  return asObject(schema);
}

export function asObject(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw new TypeError(`not a schema: ${JSON.stringify(value)}`);
  return value;
}
