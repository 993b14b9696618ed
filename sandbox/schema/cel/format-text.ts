/** `"...".format([...])` (cel-go ext/formatting.go, version 1, locale en_US). */
import { goQuote } from '../../apimachinery/go-text.ts';
import { CelFault } from './cel-fault.ts';
import {
  CelList,
  CelMap,
  CelType,
  Duration,
  Timestamp,
  typeName,
  Uint,
  type CelValue,
} from './cel-value.ts';
import { toText } from './conversions.ts';
import { itemsOf } from './list-functions.ts';
import { textOf } from './text-functions.ts';

export function formatText(pattern: CelValue, args?: CelValue): CelValue {
  const items = itemsOf(args);
  let next = 0;
  return textOf(pattern).replace(
    /%(%|(?:\.(\d*))?([a-zA-Z]?))/gs,
    (_whole, clause: string, precision: string | undefined, verb: string | undefined) => {
      if (clause === '%') return '%';
      if (verb === undefined || verb === '') throw failure('unexpected end of string');
      if (next >= items.length) throw failure(`index ${next} out of range`);
      const item = items[next] ?? null;
      next += 1;
      return clauseText(verb, item, precision === undefined ? 6 : Number(precision));
    },
  );
}

function clauseText(verb: string, value: CelValue, precision: number): string {
  switch (verb) {
    case 's':
      return plainText(value);
    case 'd':
      if (isWhole(value)) return String(wholeOf(value));
      throw wrongType('decimal', 'integers', value);
    case 'f':
      return fixed(value, precision);
    case 'e':
      return scientific(value);
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      if (isWhole(value)) return wholeOf(value).toString(2);
      throw wrongType('binary', 'integers and bools', value);
    case 'o':
      if (isWhole(value)) return wholeOf(value).toString(8);
      throw wrongType('octal', 'integers', value);
    case 'x':
      return hex(value);
    case 'X':
      return hex(value).toUpperCase();
    default:
      throw failure(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

/** `%s`. */
function plainText(value: CelValue): string {
  if (value instanceof CelList) return `[${value.items().map(nested).join(', ')}]`;
  if (value instanceof CelMap) {
    const pairs = value.keys().map((key) => [nestedKey(key), nested(value.find(key) ?? null)]);
    pairs.sort(([left = ''], [right = '']) => (left < right ? -1 : 1));
    return `{${pairs.map((pair) => pair.join(':')).join(', ')}}`;
  }
  if (value === null) return 'null';
  if (value instanceof CelType) return value.type;
  const isText = typeof value !== 'object' || value instanceof Uint;
  if (isText || value instanceof Uint8Array) return toText(value) as string;
  if (value instanceof Timestamp || value instanceof Duration) return toText(value) as string;
  const kinds = 'strings, bools, integers, doubles, maps, lists, types, durations, and timestamps';
  throw wrongType('string', kinds, value);
}

/** Within a list or map, texts are quoted and times are written as in CEL. */
function nested(value: CelValue): string {
  if (typeof value === 'string') return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(toText(value) as string)}`;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value.toFixed(6);
    return goQuote(toText(value) as string);
  }
  if (value instanceof Timestamp) return `timestamp(${goQuote(toText(value) as string)})`;
  if (value instanceof Duration) return `duration(${goQuote(toText(value) as string)})`;
  return plainText(value);
}

function nestedKey(key: CelValue): string {
  return typeof key === 'string' ? goQuote(key) : plainText(key);
}

function fixed(value: CelValue, precision: number): string {
  const number = floatOf(value, 'fixed-point');
  if (typeof number === 'string') return number;
  return new Intl.NumberFormat('en-US', {
    minimumFractionDigits: precision,
    maximumFractionDigits: precision,
  }).format(number);
}

/** In the locale's typography, `1.234560×10⁰³`, in which the precision has no effect. */
function scientific(value: CelValue): string {
  const number = floatOf(value, 'scientific');
  if (typeof number === 'string') return number;
  const [digits = '', exponent = '0'] = number.toExponential(6).split('e');
  const raised: Readonly<Record<string, string>> = {
    '-': '⁻',
    '+': '',
    '0': '⁰',
    '1': '¹',
    '2': '²',
    '3': '³',
    '4': '⁴',
    '5': '⁵',
    '6': '⁶',
    '7': '⁷',
    '8': '⁸',
    '9': '⁹',
  };
  const padded = exponent.replace(/^([+-])(\d)$/, '$10$2');
  return `${digits}×10${padded.replace(/./g, (character) => raised[character] ?? '')}`;
}

function floatOf(value: CelValue, clause: string): number | string {
  const isNamed = value === 'NaN' || value === 'Infinity' || value === '-Infinity';
  if (typeof value !== 'number' && !isNamed) throw wrongType(clause, 'doubles', value);
  const number = Number(value);
  if (Number.isNaN(number)) return 'NaN';
  if (Number.isFinite(number)) return number;
  return number > 0 ? '∞' : '-∞';
}

function hex(value: CelValue): string {
  if (isWhole(value)) return wholeOf(value).toString(16);
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  throw wrongType('hex', 'integers, byte buffers, and strings', value);
}

function isWhole(value: CelValue): value is bigint | Uint {
  return typeof value === 'bigint' || value instanceof Uint;
}

function wholeOf(value: bigint | Uint): bigint {
  return typeof value === 'bigint' ? value : value.value;
}

function wrongType(clause: string, takes: string, value: CelValue): CelFault {
  const what = `${clause} clause can only be used on ${takes}, was given ${typeName(value)}`;
  return failure(`error during formatting: ${what}`);
}

function failure(text: string): CelFault {
  return new CelFault(text);
}
