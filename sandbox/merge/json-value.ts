import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

export { isList, isObject } from '#shared/domain/json-value.ts';

/** The object, or an empty one for anything else. */
export function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The text, or an empty one for anything else. */
export function textOr(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** As Go's encoding/json writes it: `<`, `>`, `&` and the line separators escaped. */
export function goJson(value: Json): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** With the members of all objects in the order of their names, as Go writes its maps. */
export function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member as Json)]));
}

/** As `%T` of Go's fmt names the type of a decoded JSON value. */
export function goType(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (isList(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** As `%v` of Go's fmt prints a decoded JSON value. */
export function goPrint(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (isList(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(sorted(value) as JsonObject);
  return `map[${members.map(([key, member]) => `${key}:${goPrint(member)}`).join(' ')}]`;
}
