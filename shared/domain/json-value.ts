/** What sort of JSON value it is. What comes from outside has to be JSON by then. */
import type { Json, JsonObject } from './objects.ts';
import { setOwnMember } from './own-member.ts';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Its members; none where it is no object. */
export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Its items; none where it is no list. */
export function listOf(value: unknown): readonly Json[] {
  return isList(value) ? value : [];
}

/** Empty where it is no text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The members whose names are wanted, in their order. */
export function membersOf<Value>(
  object: Readonly<Record<string, Value>>,
  isWanted: (name: string) => boolean,
): Record<string, Value> {
  const wanted: Record<string, Value> = {};
  // By way of entries it takes several times as long.
  for (const name of Object.keys(object)) {
    if (isWanted(name)) setOwnMember(wanted, name, object[name] as Value);
  }
  return wanted;
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Of an annotation, which anybody may have written. Undefined: there is none, or it is no object of JSON. */
export function parsedObject(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
