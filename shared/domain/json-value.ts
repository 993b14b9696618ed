/** Kinds of JSON values. Input from outside must be parsed JSON already. */
import type { Json, JsonObject } from './objects.ts';
import { setOwnMember } from './own-member.ts';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object; none for any other value. */
export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The items of a list; none for any other value. */
export function listOf(value: unknown): readonly Json[] {
  return isList(value) ? value : [];
}

/** The text; empty for any other value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The members with the wanted names, in the order of the names. */
export function membersOf<Value>(
  object: Readonly<Record<string, Value>>,
  isWanted: (name: string) => boolean,
): Record<string, Value> {
  const wanted: Record<string, Value> = {};
  // Object.entries takes several times as long.
  for (const name of Object.keys(object)) {
    if (isWanted(name)) setOwnMember(wanted, name, object[name] as Value);
  }
  return wanted;
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * Parses an annotation, which any user may have written. Undefined: it is missing or is not a JSON object.
 */
export function parsedObject(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
