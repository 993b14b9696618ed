/** Items of a list-map by their keys (KEP-555, `x-kubernetes-list-map-keys`). */
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

/** One text for the keys of an item. Undefined when a key is absent or not a scalar. */
export function listMapKey(item: JsonObject, keys: readonly string[]): string | undefined {
  const only = keys.length === 1 ? item[keys[0] ?? ''] : undefined;
  if (typeof only === 'string') return `"${only}`;
  const parts: Json[] = [];
  for (const name of keys) {
    const value = item[name];
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    parts.push(value);
  }
  return JSON.stringify(parts);
}

/** The first item of each key, without items that lack one. */
export function keyedItems(
  items: readonly Json[],
  keys: readonly string[],
): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const item of items) {
    const key = isObject(item) ? listMapKey(item, keys) : undefined;
    if (key !== undefined && !found.has(key)) found.set(key, item as JsonObject);
  }
  return found;
}
