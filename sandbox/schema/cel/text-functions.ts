/** Functions on strings, of CEL and of cel-go (ext/strings.go, version 2). */
import { PatternFault, tryPattern } from '../pattern.ts';
import { goNumber, shortEscapes } from '../../apimachinery/go-text.ts';
import { CelFault, noSuchOverload } from './cel-fault.ts';
import { ListValue, typeName, type CelValue } from './cel-value.ts';
import { checkBuilt } from './cost.ts';
import { itemsOf } from './list-functions.ts';

/** Positions count characters, not UTF-16 units. */
const runes = (text: string): readonly string[] => Array.from(text);

export function textOf(value: CelValue | undefined): string {
  if (typeof value === 'string') return value;
  throw noSuchOverload();
}

export function intOf(value: CelValue | undefined): number {
  if (typeof value === 'bigint') return Number(value);
  throw noSuchOverload();
}

export function charAt(text: CelValue, index?: CelValue): CelValue {
  const characters = runes(textOf(text));
  const at = intOf(index);
  if (at < 0 || at > characters.length) throw outOfRange(at);
  return characters[at] ?? '';
}

export function indexOfText(text: CelValue, part?: CelValue, offset: CelValue = 0n): CelValue {
  const characters = runes(textOf(text));
  const wanted = runes(textOf(part));
  const from = intOf(offset);
  if (wanted.length === 0) return BigInt(from);
  if (from < 0) throw outOfRange(from);
  for (let at = from; at <= characters.length - wanted.length; at += 1) {
    if (startsAt(characters, wanted, at)) return BigInt(at);
  }
  return -1n;
}

export function lastIndexOfText(text: CelValue, part?: CelValue, offset?: CelValue): CelValue {
  const characters = runes(textOf(text));
  const wanted = runes(textOf(part));
  if (wanted.length === 0) return offset ?? BigInt(characters.length);
  const from = offset === undefined ? characters.length - 1 : intOf(offset);
  if (from < 0 && offset !== undefined) throw outOfRange(from);
  if (from >= characters.length) return -1n;
  for (let at = Math.min(from, characters.length - wanted.length); at >= 0; at -= 1) {
    if (startsAt(characters, wanted, at)) return BigInt(at);
  }
  return -1n;
}

/** `times` below 0: all occurrences. */
export function replace(
  text: CelValue,
  old?: CelValue,
  by?: CelValue,
  times: CelValue = -1n,
): CelValue {
  const [source, from, to] = [textOf(text), textOf(old), textOf(by)];
  let left = intOf(times);
  if (left < 0) left = Infinity;
  const places = from === '' ? source.length + 1 : source.split(from).length - 1;
  checkBuilt(source.length + Math.min(places, left) * to.length);
  if (from === '') {
    const spread = runes(source);
    const parts = spread.map((rune, at) => (at < left ? to : '') + rune);
    return parts.join('') + (spread.length < left ? to : '');
  }
  return source.split(from).reduce((joined, part) => {
    left -= 1;
    return joined + (left >= 0 ? to : from) + part;
  });
}

export function splitText(text: CelValue, separator?: CelValue, limit: CelValue = -1n): CelValue {
  const [source, by] = [textOf(text), textOf(separator)];
  const parts = by === '' ? runes(source) : source.split(by);
  const count = intOf(limit);
  if (count < 0 || count >= parts.length) return new ListValue(parts);
  if (count === 0) return new ListValue([]);
  return new ListValue([...parts.slice(0, count - 1), parts.slice(count - 1).join(by)]);
}

export function substring(text: CelValue, start?: CelValue, end?: CelValue): CelValue {
  const characters = runes(textOf(text));
  const from = intOf(start);
  const to = end === undefined ? characters.length : intOf(end);
  if (end !== undefined && from > to) {
    throw new CelFault(`invalid substring range. start: ${from}, end: ${to}`);
  }
  for (const at of [from, to]) if (at < 0 || at > characters.length) throw outOfRange(at);
  return characters.slice(from, to).join('');
}

export function join(list: CelValue, separator: CelValue = ''): CelValue {
  const by = textOf(separator);
  const parts = itemsOf(list).map((item) => {
    if (typeof item === 'string') return item;
    throw new CelFault(`join: invalid input: ${goText(item)}`);
  });
  checkBuilt(parts.reduce((sum, part) => sum + part.length + by.length, 0));
  return parts.join(by);
}

export function lowerAscii(text: CelValue): CelValue {
  return textOf(text).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function upperAscii(text: CelValue): CelValue {
  return textOf(text).replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** The text as a CEL literal. */
export function quoted(text: CelValue): CelValue {
  return `"${textOf(text).replace(/[\u0007\b\f\n\r\t\u000b\\"]/g, (c) => shortEscapes[c] ?? c)}"`;
}

export function matches(text: CelValue, pattern?: CelValue): CelValue {
  const found = tryPattern(textOf(pattern));
  if (found instanceof PatternFault) throw new CelFault(found.message);
  return found.test(textOf(text));
}

/** A value as Go's `%v` prints it. */
function goText(value: CelValue): string {
  if (typeof value === 'number') return goNumber(value);
  return typeof value === 'object' ? typeName(value) : String(value);
}

function startsAt(text: readonly string[], part: readonly string[], at: number): boolean {
  return part.every((character, offset) => text[at + offset] === character);
}

function outOfRange(index: number): CelFault {
  return new CelFault(`index out of range: ${index}`);
}
