/** Where an expression finds its variables, and what it becomes. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { StatusError } from '../../apimachinery/status-error.ts';
import { noSuchOverload } from './cel-fault.ts';
import type { CelValue } from './cel-value.ts';
import type { Meter } from './cost.ts';

/** The variables of an expression by their place. */
export type Frame = CelValue[];
/** Throws CelFault. */
export type Run = (frame: Frame) => CelValue;
export type Compile = (node: ASTNode, scope: Scope) => Run;

export interface Scope {
  /** The place of a variable, undefined when there is none of that name. */
  readonly placeOf: (name: string) => number | undefined;
  readonly depth: number;
  /** Told of each variable that is read. */
  readonly onRead: (name: string) => void;
  /** Charged by all that is evaluated. */
  readonly meter: Meter;
}

/** The scope inside a comprehension that binds `names`. */
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
