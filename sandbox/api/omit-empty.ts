/**
 * Go's `omitempty`: in a built-in kind, an empty map or list that is not required is the same as an
 * absent one. A value for which the schema has named properties is a Go struct and stays.
 */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { Schema } from '../schema/schema.ts';

/**
 * Returns the same reference when nothing is left out. Frozen parts come from the store and are
 * clean.
 */
export function withoutEmpty(object: JsonObject, schema: Schema): JsonObject {
  if (Object.isFrozen(object)) return object;
  let copy: Record<string, Json | undefined> | undefined;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const value = object[name];
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) continue;
    const kept = isOmitted(value, field, schema.required?.includes(name) === true)
      ? undefined
      : cleaned(value, field);
    if (kept === value) continue;
    copy ??= { ...object };
    if (kept !== undefined) copy[name] = kept;
    // oxlint-disable-next-line typescript/no-dynamic-delete -- of an own copy
    else delete copy[name];
  }
  return copy ?? object;
}

function isOmitted(value: Json, schema: Schema, isRequired: boolean): boolean {
  if (isRequired) return false;
  if (Array.isArray(value)) return value.length === 0;
  return schema.additionalProperties !== undefined && Object.keys(value as JsonObject).length === 0;
}

function cleaned(value: Json, schema: Schema): Json {
  if (Array.isArray(value)) return cleanedItems(value as readonly Json[], schema.items);
  if (schema.properties === undefined) return value;
  return withoutEmpty(value as JsonObject, schema);
}

function cleanedItems(items: readonly Json[], schema: Schema | undefined): readonly Json[] {
  if (schema?.properties === undefined) return items;
  let copy: Json[] | undefined;
  for (const [place, item] of items.entries()) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) continue;
    const kept = withoutEmpty(item as JsonObject, schema);
    if (kept !== item) (copy ??= [...items])[place] = kept;
  }
  return copy ?? items;
}
