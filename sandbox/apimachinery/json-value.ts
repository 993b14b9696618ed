import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

/** The object, or an empty one for anything else. */
export function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The text, or an empty one for anything else. */
export function textOr(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The object without a field. Returns the same reference when it has no such field. */
export function omitting<Value extends object>(value: Value, name: string): Value {
  if (!(name in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) as Value;
}
