/** An error of a CEL expression in the words of cel-go; `||` and `&&` may absorb it. */
export class CelFault extends Error {
  override readonly name = 'CelFault';
}

/** No function of that name takes these types, as found out while evaluating. */
export function noSuchOverload(): CelFault {
  return new CelFault('no such overload');
}
