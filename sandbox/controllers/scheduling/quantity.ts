/** Kubernetes quantities as plain numbers, for comparing and adding (apimachinery resource.Quantity). */

const factors: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** `100m`, `1.5`, `2Gi`, `1e3`. Undefined when it is no quantity. */
export function parseQuantity(quantity: string | number): number | undefined {
  if (typeof quantity === 'number') return quantity;
  const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:[eE]([+-]?\d+)|([numkMGTPE]?i?))?$/.exec(
    quantity,
  );
  const factor = factors[match?.[3] ?? ''];
  if (match === null || factor === undefined) return undefined;
  return Number(match[1]) * 10 ** Number(match[2] ?? 0) * factor;
}

/** As the scheduler counts: cpu in thousandths, all else in whole units, both rounded up. */
export function amountOf(resource: string, quantity: string | number): number {
  const value = parseQuantity(quantity) ?? 0;
  // Decimal fractions are not exact in binary: 0.1 * 1000 must not be rounded up to 101.
  return Math.ceil(Number((resource === 'cpu' ? value * 1000 : value).toPrecision(15)));
}
