/** Classes of sub-expressions in cel-go's planner, which determine the cost. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { cost } from './cost.ts';
import type { Compile, Run, Scope } from './scope.ts';

/** Calls that are literals themselves if their argument is one. */
const conversions = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);

/** A constant costs nothing, because the API server does not evaluate it. */
export function isConstant(node: ASTNode): boolean {
  switch (node.op) {
    case 'value':
      return true;
    case 'list':
      return node.args.every(isConstant);
    case 'map':
      return node.args.every(([key, value]) => isConstant(key) && isConstant(value));
    case '-_':
      return node.args.op === 'value';
    case 'call': {
      const [name, args] = node.args;
      return conversions.has(name) && args.length === 1 && args.every(isConstant);
    }
    default:
      return false;
  }
}

/** Variables and selections from them, which cel-go calls attributes. */
export function isAttribute({ op }: ASTNode): boolean {
  return ['id', '.', '.?', '[]', '[?]', '?:'].includes(op);
}

/** The operand of a selection. The API server first makes an attribute of any other value. */
export function operandOf(node: ASTNode, scope: Scope, compile: Compile): Run {
  const run = compile(node, scope);
  return isAttribute(node) ? run : charging(run, cost.identifier, scope);
}

/** Charges when the value exists. */
export function charging(run: Run, units: number, { meter }: Scope): Run {
  return (frame) => {
    const value = run(frame);
    meter.charge(units);
    return value;
  };
}
