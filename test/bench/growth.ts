export interface Point {
  readonly size: number;
  readonly cost: number;
}

/**
 * The exponent e of cost = c * size^e: the slope of the line through the logarithms (least
 * squares). 1 is linear, 2 is quadratic. NaN for fewer than two sizes.
 */
export function costExponent(points: readonly Point[]): number {
  const logs = points.map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) }));
  const meanX = mean(logs.map(({ x }) => x));
  const meanY = mean(logs.map(({ y }) => y));
  const over = logs.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  const under = logs.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  return under === 0 ? Number.NaN : over / under;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
