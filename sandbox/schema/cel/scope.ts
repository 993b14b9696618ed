/** The variables of an expression, and its compiled form. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { StatusError } from '../../apimachinery/status-error.ts';
import { noSuchOverload } from './cel-fault.ts';
import type { CelValue } from './cel-value.ts';
import type { Meter } from './cost.ts';

/** Values of the variables by position. */
export type Frame = CelValue[];
/** Throws CelFault. */
export type Run = (frame: Frame) => CelValue;
export type Compile = (node: ASTNode, scope: Scope) => Run;

export interface Scope {
  /** The position of a variable. Undefined: no variable has that name. */
  readonly placeOf: (name: string) => number | undefined;
  readonly depth: number;
  /** Called for each variable that is read. */
  readonly onRead: (name: string) => void;
  /** Every step of the evaluation is charged to it. */
  readonly meter: Meter;
}

/** The scope within a comprehension that binds `names`. */
export function innerScope(scope: Scope, names: readonly string[]): Scope {
  return {
    placeOf: (name) => {
      const at = names.indexOf(name);
      return at === -1 ? scope.placeOf(name) : scope.depth + at;
    },
    depth: scope.depth + names.length,
    onRead: scope.onRead,
    meter: scope.meter,
  };
}

export function unsupported(what: string, node?: ASTNode): StatusError {
  const where = node === undefined ? '' : ` in ${node.input.slice(node.start, node.end)}`;
  const text = `the sandbox does not simulate ${what} of a CEL expression${where}`;
  return new StatusError(501, 'NotImplemented', text);
}

export function asBool(value: CelValue): boolean {
  if (typeof value === 'boolean') return value;
  throw noSuchOverload();
}
