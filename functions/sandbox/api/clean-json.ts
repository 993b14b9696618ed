/** A body as JSON would have brought it: without undefined members, for Go types without nulls. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';

/**
 * The same reference when there is nothing to leave out. What is frozen comes from the store and is
 * clean. `withoutNulls`: a null is an absent field to the decoder of built-in kinds; not so to
 * custom resources, whose schema may allow it.
 */
export function cleanObject(object: JsonObject, withoutNulls: boolean): JsonObject {
  return cleanMembers(object, withoutNulls);
}

function cleanValue(value: Json, withoutNulls: boolean): Json {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  return Array.isArray(value)
    ? cleanItems(value as readonly Json[], withoutNulls)
    : cleanMembers(value as JsonObject, withoutNulls);
}

function cleanItems(items: readonly Json[], withoutNulls: boolean): readonly Json[] {
  let copy: Json[] | undefined;
  for (let place = 0; place < items.length; place += 1) {
    const item = items[place] ?? null;
    const cleaned = cleanValue(item, withoutNulls);
    if (cleaned !== items[place]) (copy ??= [...items])[place] = cleaned;
  }
  return copy ?? items;
}

function cleanMembers(object: JsonObject, withoutNulls: boolean): JsonObject {
  let copy: Record<string, Json | undefined> | undefined;
  for (const key in object) {
    const value = object[key];
    if (value === undefined || (withoutNulls && value === null)) {
      copy ??= { ...object };
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- of an own copy, rarely
      delete copy[key];
      continue;
    }
    const cleaned = cleanValue(value, withoutNulls);
    if (cleaned !== value) (copy ??= { ...object })[key] = cleaned;
  }
  return copy ?? object;
}
