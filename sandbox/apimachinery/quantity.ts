/**
 * Quantities such as `1.5Gi` (apimachinery api/resource), as a number of billionths, rounded up.
 */

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
export const billion = 1_000_000_000n;

/** The billionths, or the fault in the words of resource.ParseQuantity. */
export function parseQuantity(text: string): bigint | string {
  // Two steps: with a single pattern, digits could belong to the number or to the suffix, and it
  // would try both.
  const [number = '', sign, whole = '', fraction = ''] =
    /^([+-]?)(\d*)(?:\.(\d*))?/.exec(text) ?? [];
  const suffix = text.slice(number.length);
  const minus = /^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix) ? sign : undefined;
  const unit = Object.hasOwn(suffixes, suffix) ? suffixes[suffix] : scientificUnit(suffix);
  // A suffix alone means zero of it.
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
  return minus === '-' ? -rounded : rounded;
}

function scientificUnit(suffix: string): readonly [bigint, number] | undefined {
  const [, exponent] = /^[eE]([+-]?\d{1,4})$/.exec(suffix) ?? [];
  return exponent === undefined ? undefined : [10n, Number(exponent)];
}

/** The reason why a text is not a quantity. */
export function quantityFault(text: string): string | undefined {
  const quantity = parseQuantity(text);
  return typeof quantity === 'string' ? quantity : undefined;
}

/** In units of that many billionths, rounded up. 0 for a text that is not a quantity. */
export function wholeUnits(quantity: string | number, unit: bigint): number {
  const billionths = parseQuantity(String(quantity));
  if (typeof billionths === 'string') return 0;
  return Number(billionths / unit) + (billionths % unit > 0n ? 1 : 0);
}
