/** Type conversions (cel-go common/types ConvertToType). */
import { goFloat } from '../../apimachinery/go-text.ts';
import { parseGoDuration } from '../time-formats.ts';
import { int, timestamp, uint } from './arithmetic.ts';
import { CelFault, noSuchOverload } from './cel-fault.ts';
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
import { fractionText, parseTimestamp, split, timestampText } from './time-text.ts';

const second = 1_000_000_000n;

export function toInt(value: CelValue): CelValue {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return int(value.value);
  if (value instanceof Timestamp) return split(value.ns, second)[0];
  if (value instanceof Duration) return value.ns;
  if (typeof value === 'number') {
    const isInRange = value > -9223372036854775808 && value < 9223372036854775807;
    if (!isInRange) throw new CelFault('integer overflow');
    return BigInt(Math.trunc(value));
  }
  if (typeof value === 'string') return parseInteger(value, /^[+-]?\d+$/, 'int', int);
  throw noSuchOverload();
}

export function toUint(value: CelValue): CelValue {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return uint(value);
  if (typeof value === 'number') {
    if (!(value >= 0 && value < 18446744073709551615)) {
      throw new CelFault('unsigned integer overflow');
    }
    return uint(BigInt(Math.trunc(value)));
  }
  if (typeof value === 'string') return parseInteger(value, /^\d+$/, 'uint', uint);
  throw noSuchOverload();
}

export function toDouble(value: CelValue): CelValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== 'string') throw noSuchOverload();
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(value);
  if (named) return /nan/i.test(value) ? NaN : named[1] === '-' ? -Infinity : Infinity;
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value)) return Number(value);
  throw unconvertible('double');
}

export function toText(value: CelValue): CelValue {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return goFloat(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Uint8Array) {
    const text = Buffer.from(value).toString('utf8');
    if (Buffer.compare(Buffer.from(text), value) === 0) return text;
    throw new CelFault('invalid UTF-8 in bytes, cannot convert to string');
  }
  throw noSuchOverload();
}

export function toBool(value: CelValue): CelValue {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') throw noSuchOverload();
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return false;
  throw unconvertible('bool');
}

export function toBytes(value: CelValue): CelValue {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return Buffer.from(value);
  throw noSuchOverload();
}

export function toTimestamp(value: CelValue): CelValue {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return timestamp(value * second);
  if (typeof value !== 'string') throw noSuchOverload();
  const time = parseTimestamp(value);
  if (time !== undefined) return time;
  throw unconvertible('google.protobuf.Timestamp');
}

export function toDuration(value: CelValue): CelValue {
  if (value instanceof Duration) return value;
  if (typeof value === 'bigint') return new Duration(value);
  if (typeof value !== 'string') throw noSuchOverload();
  const ns = parseGoDuration(value);
  if (ns !== undefined) return new Duration(ns);
  throw unconvertible('google.protobuf.Duration');
}

export function typeOfValue(value: CelValue): CelValue {
  return new CelType(typeName(value));
}

/** Number of characters, bytes, items or entries. */
export function size(value: CelValue): CelValue {
  if (typeof value === 'string') {
    let length = value.length;
    for (let at = 0; at < value.length; at += 1) {
      if (value.charCodeAt(at) >>> 10 === 0x36) length -= 1;
    }
    return BigInt(length);
  }
  if (value instanceof CelList || value instanceof CelMap) return BigInt(value.size);
  if (value instanceof Uint8Array) return BigInt(value.length);
  throw noSuchOverload('size');
}

/** Seconds with a fraction: `90s`, `0.5s`. */
export function durationText({ ns }: Duration): string {
  const size = ns < 0n ? -ns : ns;
  const sign = ns < 0n ? '-' : '';
  return `${sign}${size / second}${fractionText(size % second)}s`;
}

function parseInteger(
  text: string,
  pattern: RegExp,
  type: string,
  bounded: (value: bigint) => CelValue,
): CelValue {
  if (!pattern.test(text)) throw unconvertible(type);
  try {
    return bounded(BigInt(text.replace(/^\+/, '')));
  } catch {
    throw unconvertible(type);
  }
}

function unconvertible(type: string): CelFault {
  return new CelFault(`type conversion error from 'string' to '${type}'`);
}
