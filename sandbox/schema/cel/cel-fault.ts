/** An error of a CEL expression in the words of cel-go; `||` and `&&` may absorb it. */
export class CelFault extends Error {
  override readonly name: string = 'CelFault';
}

/** What is called does not take values of these types, as found out while evaluating. */
export class NoSuchOverload extends CelFault {
  override readonly name = 'NoSuchOverload';
}

export function noSuchOverload(call?: string): NoSuchOverload {
  return new NoSuchOverload(call === undefined ? 'no such overload' : `no such overload: ${call}`);
}
