/** What sort of JSON value it is. What comes from outside has to be JSON by then. */
import type { Json, JsonObject } from './objects.ts';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}
