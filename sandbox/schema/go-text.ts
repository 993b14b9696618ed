/** Values in the words of the API server's messages: Go's `%q`, `%v` and `json.Marshal`. */
import type { Json } from '#shared/domain/objects.ts';

const named: Readonly<Record<string, string>> = {
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

/** fmt.Sprint of an int64 or float64. */
export function goNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) <= 2 ** 63 ? String(value) : goFloat(value);
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
  if (Array.isArray(value)) return `[${(value as Json[]).map(goJson).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([key, member]) => `${jsonString(key)}:${goJson(member)}`).join(',')}}`;
}

function quotedCharacter(character: string): string {
  const short = named[character];
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
