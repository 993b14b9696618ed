/** Quantities such as `1.5Gi` (apimachinery api/resource, apiserver pkg/cel/library/quantity.go). */
import { CelFault, noSuchOverload } from './cel-fault.ts';
import { CelObject, type CelValue } from './cel-value.ts';

const suffixes: Readonly<Record<string, readonly [base: bigint, exponent: number]>> = {
  n: [10n, -9],
  u: [10n, -6],
  m: [10n, -3],
  '': [10n, 0],
  k: [10n, 3],
  M: [10n, 6],
  G: [10n, 9],
  T: [10n, 12],
  P: [10n, 15],
  E: [10n, 18],
  Ki: [2n, 10],
  Mi: [2n, 20],
  Gi: [2n, 30],
  Ti: [2n, 40],
  Pi: [2n, 50],
  Ei: [2n, 60],
};
/** Quantities are kept in billionths, rounded up. */
const billion = 1_000_000_000n;

export class Quantity extends CelObject {
  readonly typeName = 'kubernetes.Quantity';
  readonly billionths: bigint;

  constructor(billionths: bigint) {
    super();
    this.billionths = billionths;
  }

  equals(other: CelObject): boolean {
    return other instanceof Quantity && other.billionths === this.billionths;
  }
}

export function isQuantity(text: CelValue): CelValue {
  if (typeof text !== 'string') throw noSuchOverload();
  return typeof parseQuantity(text) !== 'string';
}

export function toQuantity(text: CelValue): CelValue {
  if (typeof text !== 'string') throw noSuchOverload();
  const quantity = parseQuantity(text);
  if (typeof quantity !== 'string') return quantity;
  throw new CelFault(quantity);
}

/** A function of its own, not one of the quantity. */
export const signOf = on(({ billionths }) => sign(billionths));

export const quantityMembers: Readonly<Record<string, (...args: CelValue[]) => CelValue>> = {
  isInteger: on((quantity) => wholeOf(quantity) !== undefined),
  asInteger: on((quantity) => {
    const whole = wholeOf(quantity);
    if (whole === undefined) throw new CelFault('cannot convert value to integer');
    return whole;
  }),
  asApproximateFloat: on(({ billionths }) => Number(billionths) / Number(billion)),
  add: on((quantity, other) => new Quantity(quantity.billionths + billionthsOf(other))),
  sub: on((quantity, other) => new Quantity(quantity.billionths - billionthsOf(other))),
};

export function compareQuantities(left: Quantity, right: Quantity): bigint {
  return sign(left.billionths - right.billionths);
}

/** Why a text is no quantity, in the words of apimachinery's resource.ParseQuantity. */
export function quantityFault(text: string): string | undefined {
  const quantity = parseQuantity(text);
  return typeof quantity === 'string' ? quantity : undefined;
}

/** The quantity, or why there is none. */
export function parseQuantity(text: string): Quantity | string {
  // In two steps: in one, digits could go to the number or to the suffix, and all ways be tried.
  const [number = '', sign, whole = '', fraction = ''] =
    /^([+-]?)(\d*)(?:\.(\d*))?/.exec(text) ?? [];
  const suffix = text.slice(number.length);
  const minus = /^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix) ? sign : undefined;
  const unit = Object.hasOwn(suffixes, suffix) ? suffixes[suffix] : scientificUnit(suffix);
  // A suffix alone counts as zero of it.
  if (minus === undefined || text === '') {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  if (unit === undefined) return "unable to parse quantity's suffix";
  const [base, exponent] = unit;
  const digits = BigInt(whole + fraction) * billion;
  const up = exponent > 0 ? base ** BigInt(exponent) : 1n;
  const down = 10n ** BigInt(fraction.length) * (exponent < 0 ? base ** BigInt(-exponent) : 1n);
  const exact = digits * up;
  const rounded = exact / down + (exact % down === 0n ? 0n : 1n);
  return new Quantity(minus === '-' ? -rounded : rounded);
}

function scientificUnit(suffix: string): readonly [bigint, number] | undefined {
  const [, exponent] = /^[eE]([+-]?\d{1,4})$/.exec(suffix) ?? [];
  return exponent === undefined ? undefined : [10n, Number(exponent)];
}

function on(
  read: (quantity: Quantity, other: CelValue | undefined) => CelValue,
): (...args: CelValue[]) => CelValue {
  return (value, other) => {
    if (value instanceof Quantity) return read(value, other);
    throw noSuchOverload();
  };
}

function billionthsOf(other: CelValue | undefined): bigint {
  if (typeof other === 'bigint') return other * billion;
  if (other instanceof Quantity) return other.billionths;
  throw noSuchOverload();
}

function wholeOf({ billionths }: Quantity): bigint | undefined {
  const whole = billionths / billion;
  const fits = billionths % billion === 0n && BigInt.asIntN(64, whole) === whole;
  return fits ? whole : undefined;
}

function sign(value: bigint): bigint {
  if (value === 0n) return 0n;
  return value < 0n ? -1n : 1n;
}
