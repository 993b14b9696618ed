/** What a part of an expression is to cel-go's planner, on which depends what it costs. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { cost } from './cost.ts';
import type { Compile, Run, Scope } from './scope.ts';

/** With a literal they are one themselves. */
const conversions = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);

/** What the API server does not evaluate, since it is there from the start. */
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

/** Variables and what is selected from them: what cel-go calls an attribute. */
export function isAttribute({ op }: ASTNode): boolean {
  return ['id', '.', '.?', '[]', '[?]', '?:'].includes(op);
}

/** What something is selected from: the API server makes an attribute of any other value first. */
export function operandOf(node: ASTNode, scope: Scope, compile: Compile): Run {
  const run = compile(node, scope);
  return isAttribute(node) ? run : charging(run, cost.identifier, scope);
}

/** Charges when the value is there. */
export function charging(run: Run, units: number, { meter }: Scope): Run {
  return (frame) => {
    const value = run(frame);
    meter.charge(units);
    return value;
  };
}
