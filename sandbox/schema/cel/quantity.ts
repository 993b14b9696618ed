/** Quantities such as `1.5Gi` in rules (apiserver pkg/cel/library/quantity.go). */
import { billion, parseQuantity, quantityFault } from '../../apimachinery/quantity.ts';
import { CelFault, noSuchOverload } from './cel-fault.ts';
import { CelObject, type CelValue } from './cel-value.ts';

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
  return quantityFault(text) === undefined;
}

export function toQuantity(text: CelValue): CelValue {
  if (typeof text !== 'string') throw noSuchOverload();
  const billionths = parseQuantity(text);
  if (typeof billionths === 'string') throw new CelFault(billionths);
  return new Quantity(billionths);
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
