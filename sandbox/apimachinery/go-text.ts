/** Values in the words of the API server's messages: Go's `%q`, `%v`, `%T` and `json.Marshal`. */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

/** Characters with an escape of their own, in Go as in CEL. */
export const shortEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\u000b': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};
const hex = (code: number, width: number) => code.toString(16).padStart(width, '0');

/** strconv.Quote. */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, quotedCharacter)}"`;
}

/** A number that the API server decodes to an int64. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
}

/** fmt.Sprint of an int64 or float64. */
export function goNumber(value: number): string {
  return isInteger(value) ? String(value) : goFloat(value);
}

/** `%g` of a float64: an exponent below 1e-4 and from 1e6 on. */
export function goFloat(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** json.Marshal: keys sorted, `<`, `>`, `&` and the line separators escaped. */
export function goJson(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return jsonString(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(goJson).join(',')}]`;
  const members = sortedMembers(value);
  return `{${members.map(([key, member]) => `${jsonString(key)}:${goJson(member)}`).join(',')}}`;
}

/** `%T` of a decoded JSON value. */
export function goType(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (isList(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** `%v` of a decoded JSON value. */
export function goPrint(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (isList(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const members = sortedMembers(value);
  return `map[${members.map(([key, member]) => `${key}:${goPrint(member)}`).join(' ')}]`;
}

/** Writes a map as Go does. */
function sortedMembers(value: JsonObject): readonly (readonly [string, Json | undefined])[] {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.sort(([left], [right]) => (left < right ? -1 : 1));
}

function quotedCharacter(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function jsonString(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${hex(character.charCodeAt(0), 4)}`,
  );
}
