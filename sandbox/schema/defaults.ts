/**
 * Defaults of a structural schema, and nulls that are replaced by them (apiextensions-apiserver
 * schema/defaulting).
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { omitting } from '../apimachinery/json-value.ts';
import { memberSchema } from './member-schema.ts';
import type { Schema } from './schema.ts';

/**
 * A null in a field that is not nullable means that the field is absent, so it gets its default. A
 * list has no absent items, so a null without a default stays. Returns the same reference when
 * nothing changes. Objects share a default.
 */
export function applyDefaults(object: JsonObject, schema: Schema): JsonObject {
  return defaulted(object, schema) as JsonObject;
}

function defaulted(value: Json, schema: Schema): Json {
  if (isObject(value)) return defaultedObject(value, schema);
  if (isList(value) && schema.items !== undefined) return defaultedList(value, schema.items);
  return value;
}

function defaultedObject(object: JsonObject, schema: Schema): Json {
  let draft = object;
  for (const name in object) {
    const value = object[name];
    const member = value === undefined ? undefined : memberSchema(schema, name);
    if (value === undefined || member === undefined) continue;
    const gaveWay = value === null && member.nullable !== true;
    if (gaveWay && (member.default ?? null) === null) {
      draft = omitting(draft, name);
      continue;
    }
    const filled = defaulted(gaveWay ? (member.default ?? null) : value, member);
    if (filled !== value) draft = { ...draft, [name]: filled };
  }
  return withMissing(draft, schema);
}

function withMissing(object: JsonObject, schema: Schema): JsonObject {
  let draft = object;
  for (const name in schema.properties) {
    const property = schema.properties[name];
    if ((property?.default ?? null) === null || object[name] !== undefined) continue;
    draft = { ...draft, [name]: defaulted(property?.default ?? null, property ?? {}) };
  }
  return draft;
}

function defaultedList(list: readonly Json[], items: Schema): Json {
  let draft: Json[] | undefined;
  for (const [position, item] of list.entries()) {
    const next = item === null && items.nullable !== true ? (items.default ?? null) : item;
    const filled = defaulted(next, items);
    if (filled !== item) (draft ??= [...list])[position] = filled;
  }
  return draft ?? list;
}
