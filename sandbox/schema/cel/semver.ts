/** Semantic versions (semver.org 2.0; apiserver pkg/cel/library/semverlib.go). */
import { goQuote } from '../../apimachinery/go-text.ts';
import { textOf } from './text-functions.ts';
import { CelFault, noSuchOverload } from './cel-fault.ts';
import { CelObject, type CelValue } from './cel-value.ts';

export class Semver extends CelObject {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], pre: readonly string[]) {
    super();
    this.numbers = numbers;
    this.pre = pre;
  }

  equals(other: CelObject): boolean {
    return other instanceof Semver && compareSemvers(this, other) === 0n;
  }
}

const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

export function isSemver(text: CelValue, normalize: CelValue = false): CelValue {
  return parse(text, normalize) !== undefined;
}

export function toSemver(text: CelValue, normalize: CelValue = false): CelValue {
  const version = parse(text, normalize);
  if (version !== undefined) return version;
  const source = textOf(text);
  throw new CelFault(faultOf(normalize === true ? normalized(source) : source));
}

export const semverMembers: Readonly<Record<string, (...args: CelValue[]) => CelValue>> = {
  major: part(0),
  minor: part(1),
  patch: part(2),
};

/** Numbers first, then what comes before a release; build metadata does not count. */
export function compareSemvers(left: Semver, right: Semver): bigint {
  for (const at of [0, 1, 2] as const) {
    if (left.numbers[at] !== right.numbers[at]) {
      return left.numbers[at] < right.numbers[at] ? -1n : 1n;
    }
  }
  if (left.pre.length === 0 || right.pre.length === 0) {
    return BigInt(Math.sign(right.pre.length - left.pre.length));
  }
  for (const [at, mine] of left.pre.entries()) {
    const other = right.pre[at];
    if (other === undefined) return 1n;
    const order = compareIdentifiers(mine, other);
    if (order !== 0n) return order;
  }
  return left.pre.length < right.pre.length ? -1n : 0n;
}

function compareIdentifiers(left: string, right: string): bigint {
  const [isNumber, otherIsNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isNumber !== otherIsNumber) return isNumber ? -1n : 1n;
  if (left === right) return 0n;
  const isLess = isNumber ? BigInt(left) < BigInt(right) : left < right;
  return isLess ? -1n : 1n;
}

function part(at: 0 | 1 | 2): (value?: CelValue) => CelValue {
  return (value) => {
    if (value instanceof Semver) return value.numbers[at];
    throw noSuchOverload();
  };
}

function faultOf(text: string): string {
  if (text === '') return 'Version string empty';
  const [major = '', minor, ...rest] = text.split('.');
  if (minor === undefined || rest.length === 0) return 'No Major.Minor.Patch elements found';
  const patch = rest.join('.').split(/[+-]/, 1)[0] ?? '';
  for (const [name, number] of [
    ['Major', major],
    ['Minor', minor],
    ['Patch', patch],
  ] as const) {
    if (!/^\d*$/.test(number)) {
      return `Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(number)}`;
    }
    if (/^0\d/.test(number)) {
      return `${name} number must not contain leading zeroes ${goQuote(number)}`;
    }
  }
  return 'Invalid character(s) found in prerelease';
}

function parse(text: CelValue, normalize: CelValue): Semver | undefined {
  if (typeof text !== 'string' || typeof normalize !== 'boolean') throw noSuchOverload();
  const source = normalize ? normalized(text) : text;
  const [, major, minor = '', patch = '', pre] = pattern.exec(source) ?? [];
  if (major === undefined) return undefined;
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  return new Semver(numbers, pre === undefined ? [] : pre.split('.'));
}

/** Without `v` and leading zeros, with missing numbers as 0. */
function normalized(text: string): string {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, minor, rest.length === 0 ? undefined : rest.join('.')];
  const given = parts.filter((item) => item !== undefined);
  if (given.length < 3 && /[+-]/.test(given.at(-1) ?? '')) return '';
  return parts.map((item) => (item ?? '0').replace(/^0+(?=\d)/, '')).join('.');
}
