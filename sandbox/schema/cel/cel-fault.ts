/** An error of a CEL expression in cel-go's words. `||` and `&&` may absorb it. */
export class CelFault extends Error {
  override readonly name: string = 'CelFault';
}

/** A function does not take values of these types, as the evaluation found out. */
export class NoSuchOverload extends CelFault {
  override readonly name = 'NoSuchOverload';
}

export function noSuchOverload(call?: string): NoSuchOverload {
  return new NoSuchOverload(call === undefined ? 'no such overload' : `no such overload: ${call}`);
}
