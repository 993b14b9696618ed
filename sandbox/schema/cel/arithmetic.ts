/** `+ - * / %` and unary minus (cel-go common/types). */
import { CelFault } from './cel-fault.ts';
import { CelList, Duration, Timestamp, Uint, type CelValue } from './cel-value.ts';
import { inRange } from './time-text.ts';

type Operation = (left: CelValue, right: CelValue) => CelValue;

export const arithmetic: Readonly<Record<'+' | '-' | '*' | '/' | '%', Operation>> = {
  '+': (left, right) => {
    if (typeof left === 'string' && typeof right === 'string') return left + right;
    if (left instanceof CelList && right instanceof CelList) return left.plus(right);
    if (left instanceof Uint8Array && right instanceof Uint8Array) {
      return Buffer.concat([left, right]);
    }
    return (
      addTimes(left, right) ??
      onNumbers(
        left,
        right,
        (a, b) => a + b,
        (a, b) => a + b,
      )
    );
  },
  '-': (left, right) =>
    subtractTimes(left, right) ??
    onNumbers(
      left,
      right,
      (a, b) => a - b,
      (a, b) => a - b,
    ),
  '*': (left, right) =>
    onNumbers(
      left,
      right,
      (a, b) => a * b,
      (a, b) => a * b,
    ),
  '/': (left, right) =>
    onNumbers(
      left,
      right,
      (a, b) => {
        if (b === 0n) throw new CelFault('division by zero');
        return a / b;
      },
      (a, b) => a / b,
    ),
  '%': (left, right) =>
    onNumbers(left, right, (a, b) => {
      if (b === 0n) throw new CelFault('modulus by zero');
      return a % b;
    }),
};

export function negated(value: CelValue): CelValue {
  if (typeof value === 'number') return -value;
  if (typeof value === 'bigint') return int(-value);
  throw new CelFault('no such overload');
}

/** A signed integer of 64 bits. */
export function int(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new CelFault('integer overflow');
  return value;
}

export function uint(value: bigint): Uint {
  if (BigInt.asUintN(64, value) !== value) throw new CelFault('unsigned integer overflow');
  return new Uint(value);
}

export function timestamp(ns: bigint, zoneMinutes = 0): Timestamp {
  if (!inRange(ns)) throw new CelFault('timestamp overflow');
  return new Timestamp(ns, zoneMinutes);
}

export function duration(ns: bigint): Duration {
  if (BigInt.asIntN(64, ns) !== ns) throw new CelFault('duration overflow');
  return new Duration(ns);
}

function onNumbers(
  left: CelValue,
  right: CelValue,
  whole: (left: bigint, right: bigint) => bigint,
  fractional?: (left: number, right: number) => number,
): CelValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') return int(whole(left, right));
  if (typeof left === 'number' && typeof right === 'number' && fractional) {
    return fractional(left, right);
  }
  if (left instanceof Uint && right instanceof Uint) {
    return uint(whole(left.value, right.value));
  }
  throw new CelFault('no such overload');
}

function addTimes(left: CelValue, right: CelValue): CelValue | undefined {
  if (left instanceof Duration && right instanceof Duration) return duration(left.ns + right.ns);
  if (left instanceof Timestamp && right instanceof Duration) {
    return timestamp(left.ns + right.ns, left.zoneMinutes);
  }
  if (left instanceof Duration && right instanceof Timestamp) {
    return timestamp(left.ns + right.ns, right.zoneMinutes);
  }
  return undefined;
}

function subtractTimes(left: CelValue, right: CelValue): CelValue | undefined {
  if (left instanceof Duration && right instanceof Duration) return duration(left.ns - right.ns);
  if (left instanceof Timestamp && right instanceof Timestamp) return duration(left.ns - right.ns);
  if (left instanceof Timestamp && right instanceof Duration) {
    return timestamp(left.ns - right.ns, left.zoneMinutes);
  }
  return undefined;
}
