/**
 * Compiles CEL expressions. The parser is that of cel-js. The evaluation is our own, because it
 * must see values through their schema and fail in the API server's words.
 */
import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { PatternFault, tryPattern } from '../pattern.ts';
import { arithmetic, negated } from './arithmetic.ts';
import { CelFault, NoSuchOverload, noSuchOverload } from './cel-fault.ts';
import {
  CelList,
  CelMap,
  CelType,
  ListValue,
  MapValue,
  none,
  Optional,
  typeName,
  Uint,
  type CelValue,
} from './cel-value.ts';
import {
  additionCost,
  callCost,
  comparisonCost,
  cost,
  membershipCost,
  Meter,
  orderCost,
} from './cost.ts';
import { equal, compare } from './equality.ts';
import { functions, members, type CelFunction } from './functions.ts';
import { compileMacro } from './macros.ts';
import { charging, isAttribute, isConstant, operandOf } from './priced.ts';
import { asBool, unsupported, type Run, type Scope } from './scope.ts';

export interface Expression {
  /** Throws CelFault and CostLimitExceeded. */
  readonly evaluate: (variables: readonly CelValue[]) => CelValue;
  /** The cost of the last evaluation, even if it threw. */
  readonly cost: () => number;
  /** The variables that the expression reads. */
  readonly reads: ReadonlySet<string>;
}

type BinaryNode = Extract<ASTNode, { args: [ASTNode, ASTNode] }>;

const parser = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 1_000_000, maxDepth: 1000, maxListElements: 100_000 },
});

const typeNames = new Set([
  'bool',
  'bytes',
  'double',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'type',
  'uint',
]);

/** Throws StatusError 501 when the sandbox cannot evaluate the expression. */
export function compileExpression(source: string, variables: readonly string[]): Expression {
  const reads = new Set<string>();
  const meter = new Meter();
  const scope: Scope = {
    placeOf: (name) => {
      const place = variables.indexOf(name);
      return place === -1 ? undefined : place;
    },
    depth: variables.length,
    onRead: (name) => reads.add(name),
    meter,
  };
  const run = compile(parse(source), scope);
  const evaluate: Expression['evaluate'] = (values) => {
    meter.reset();
    return run([...values]);
  };
  return { evaluate, cost: () => meter.spent, reads };
}

function parse(source: string): ASTNode {
  try {
    return parser.parse(source).ast;
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw unsupported(`the syntax (${why}) of ${source}: part`);
  }
}

/** Compiles an AST node. */
function compile(node: ASTNode, scope: Scope): Run {
  const sub = (inner: ASTNode) => compile(inner, scope);
  switch (node.op) {
    case 'value': {
      const literal = literalValue(node.args);
      return () => literal;
    }
    case 'id':
      return identifier(node, node.args, scope);
    case '.':
      return selection(node, scope);
    case '.?':
      return optionalSelection(operandOf(node.args[0], scope, compile), () => node.args[1], scope);
    case '[]':
      return qualified(
        indexed(operandOf(node.args[0], scope, compile), sub(node.args[1])),
        node,
        scope,
      );
    case '[?]':
      return optionalSelection(operandOf(node.args[0], scope, compile), sub(node.args[1]), scope);
    case 'list': {
      const items = node.args.map(sub);
      const price = isConstant(node) ? 0 : cost.list;
      return (frame) => {
        const list = new ListValue(items.map((item) => item(frame)));
        scope.meter.charge(price);
        return list;
      };
    }
    case 'map': {
      const entries = node.args.map(([key, value]) => [sub(key), sub(value)] as const);
      const price = isConstant(node) ? 0 : cost.map;
      return (frame) => {
        const map = new MapValue(entries.map(([key, value]) => [key(frame), value(frame)]));
        scope.meter.charge(price);
        return map;
      };
    }
    case '?:':
      return conditional(
        sub(node.args[0]),
        branch(node.args[1], scope),
        branch(node.args[2], scope),
      );
    case '&&':
      return either(sub(node.args[0]), sub(node.args[1]), false);
    case '||':
      return either(sub(node.args[0]), sub(node.args[1]), true);
    case '!_': {
      const operand = sub(node.args);
      return (frame) => {
        const value = !asBool(operand(frame));
        scope.meter.charge(1);
        return value;
      };
    }
    case '-_': {
      const operand = sub(node.args);
      const price = isConstant(node) ? 0 : 1;
      return (frame) => {
        scope.meter.charge(price);
        return negated(operand(frame));
      };
    }
    case 'call':
    case 'rcall':
      return call(node, scope);
    default:
      return binary(node, scope);
  }
}

/** The first step of a branch that is an attribute is free. */
function branch(node: ASTNode, scope: Scope): Run {
  const run = compile(node, scope);
  return isAttribute(node) && node.op !== '?:' ? charging(run, -cost.identifier, scope) : run;
}

/** An index that is an attribute charges for itself. */
function qualified(run: Run, { args: [, index] }: Extract<ASTNode, { op: '[]' }>, scope: Scope) {
  return isAttribute(index) ? run : charging(run, cost.qualifier, scope);
}

/** `a.b` of a value. For an optional the result is an optional again. */
function select(value: CelValue, name: string): CelValue {
  if (value instanceof CelMap) {
    const found = value.find(name);
    if (found === undefined) throw new CelFault(`no such key: ${name}`);
    return found;
  }
  if (value instanceof Optional) return lookUp(value, name);
  throw new CelFault(`no such key: ${name}`);
}

function literalValue(literal: Extract<ASTNode, { op: 'value' }>['args']): CelValue {
  const isUint = typeof literal === 'object' && literal !== null && 'verify' in literal;
  return isUint ? new Uint(literal.value) : literal;
}

function identifier(node: ASTNode, name: string, scope: Scope): Run {
  const place = scope.placeOf(name);
  if (place !== undefined) {
    scope.onRead(name);
    const { meter } = scope;
    return (frame) => {
      meter.charge(cost.identifier);
      return frame[place] ?? null;
    };
  }
  if (!typeNames.has(name)) throw unsupported(`the variable ${name}`, node);
  const type = new CelType(name);
  return () => type;
}

function selection(node: Extract<ASTNode, { op: '.' }>, scope: Scope): Run {
  const [operand, name] = node.args;
  const whole = qualifiedName(node);
  if (whole === 'google.protobuf.Timestamp' || whole === 'google.protobuf.Duration') {
    const type = new CelType(whole);
    return () => type;
  }
  const run = operandOf(operand, scope, compile);
  return (frame) => {
    const value = select(run(frame), name);
    scope.meter.charge(cost.qualifier);
    return value;
  };
}

function qualifiedName(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return undefined;
  const before = qualifiedName(node.args[0]);
  return before === undefined ? undefined : `${before}.${node.args[1]}`;
}

function indexed(operand: Run, index: Run): Run {
  return (frame) => {
    const value = operand(frame);
    const key = index(frame);
    if (value instanceof Optional) return lookUp(value, key);
    if (value instanceof CelMap) {
      const found = value.find(key);
      if (found === undefined) throw new CelFault(`no such key: ${keyText(key)}`);
      return found;
    }
    if (!(value instanceof CelList)) throw new CelFault(`no such key: ${keyText(key)}`);
    const position = positionOf(key);
    if (position === undefined || position < 0 || position >= value.size) {
      throw new CelFault(`index out of bounds: ${keyText(key)}`);
    }
    return value.at(position);
  };
}

function optionalSelection(operand: Run, index: Run, { meter }: Scope): Run {
  return (frame) => {
    const found = lookUp(operand(frame), index(frame));
    if (found.held !== undefined) meter.charge(cost.qualifier);
    return found;
  };
}

function lookUp(value: CelValue, key: CelValue): Optional {
  const target = value instanceof Optional ? value.held : value;
  if (target === undefined) return none;
  if (target instanceof CelMap) {
    const found = target.find(key);
    return found === undefined ? none : new Optional(found);
  }
  if (!(target instanceof CelList)) throw noSuchOverload();
  const position = positionOf(key);
  if (position === undefined || position < 0 || position >= target.size) return none;
  return new Optional(target.at(position));
}

function positionOf(key: CelValue): number | undefined {
  if (typeof key === 'bigint') return Number(key);
  return typeof key === 'number' && Number.isInteger(key) ? key : undefined;
}

function keyText(key: CelValue): string {
  return typeof key === 'object' ? typeName(key) : String(key);
}

function conditional(condition: Run, yes: Run, no: Run): Run {
  return (frame) => (asBool(condition(frame)) ? yes(frame) : no(frame));
}

/**
 * `||` if `decider` is true, `&&` if it is false. A deciding value takes precedence over a fault of
 * the other side.
 */
function either(left: Run, right: Run, decider: boolean): Run {
  return (frame) => {
    let first: CelValue;
    try {
      first = asBool(left(frame));
    } catch (fault) {
      if (fault instanceof CelFault && right(frame) === decider) return decider;
      throw fault;
    }
    return first === decider ? decider : asBool(right(frame));
  };
}

type Operation = (left: CelValue, right: CelValue) => CelValue;
type Price = (left: CelValue, right: CelValue) => number;

const operations: Readonly<Record<string, readonly [Operation, Price]>> = {
  '==': [equal, comparisonCost],
  '!=': [(left, right) => !equal(left, right), comparisonCost],
  '<': [(left, right) => compare(left, right) < 0, orderCost],
  '<=': [(left, right) => compare(left, right) <= 0, orderCost],
  '>': [(left, right) => compare(left, right) > 0, orderCost],
  '>=': [(left, right) => compare(left, right) >= 0, orderCost],
  in: [(left, right) => contains(right, left), (_left, right) => membershipCost(right)],
  '+': [arithmetic['+'], additionCost],
  '-': [arithmetic['-'], () => 1],
  '*': [arithmetic['*'], () => 1],
  '/': [arithmetic['/'], () => 1],
  '%': [arithmetic['%'], () => 1],
};

function binary(node: BinaryNode, scope: Scope): Run {
  const { op, args } = node;
  const [operation, price] = operations[op] ?? [];
  if (operation === undefined || price === undefined) throw unsupported(`the operator ${op}`);
  const [left, right] = [compile(args[0], scope), compile(args[1], scope)];
  const { meter } = scope;
  // The API server searches a literal list as a set, at no cost.
  const isFree = op === 'in' && args[1].op === 'list' && isConstant(args[1]);
  return (frame) => {
    const [one, other] = [left(frame), right(frame)];
    if (!isFree) meter.charge(price(one, other));
    const value = operation(one, other);
    if (op === '+') meter.built(value);
    return value;
  };
}

function contains(collection: CelValue, value: CelValue): boolean {
  if (collection instanceof CelList) return collection.items().some((item) => equal(item, value));
  if (collection instanceof CelMap) return collection.find(value) !== undefined;
  throw noSuchOverload();
}

function call(node: Extract<ASTNode, { op: 'call' | 'rcall' }>, scope: Scope): Run {
  const macro = compileMacro(node, scope, compile);
  if (macro !== undefined) return macro;
  if (node.op === 'call') {
    const [name, args] = node.args;
    return apply(functions, name, args, scope, node);
  }
  const [name, receiver, args] = node.args;
  if (receiver.op === 'id' && scope.placeOf(receiver.args) === undefined) {
    return apply(functions, `${receiver.args}.${name}`, args, scope, node);
  }
  return apply(members, name, [receiver, ...args], scope, node);
}

function apply(
  table: ReadonlyMap<string, CelFunction>,
  name: string,
  args: readonly ASTNode[],
  scope: Scope,
  node: ASTNode,
): Run {
  const target = table.get(name);
  if (target === undefined || args.length < target.least || args.length > target.most) {
    throw unsupported(`the function ${name}`, node);
  }
  refuseForeignPattern(name, args);
  const run = telling(name, target.run);
  const inputs = args.map((arg) => compile(arg, scope));
  const isFree = node.op === 'call' && isConstant(node);
  const { meter } = scope;
  return (frame) => {
    const values = inputs.map((input) => input(frame));
    const result = run(...values);
    if (!isFree) meter.charge(callCost(name, values, result));
    meter.built(result);
    return result;
  };
}

/** The oldest functions fail without naming the types. */
const terse = new Set(['contains', 'endsWith', 'matches', 'size', 'startsWith']);

/** Calls the function. A failure names the types of its arguments. */
function telling(name: string, run: CelFunction['run']): CelFunction['run'] {
  if (terse.has(name)) return run;
  return (...args) => {
    try {
      return run(...args);
    } catch (fault) {
      if (!(fault instanceof NoSuchOverload)) throw fault;
      throw noSuchOverload(`${name}(${args.map(typeName).join(', ')})`);
    }
  };
}

/** An invalid literal pattern is refused with the rule, not at its first use. */
function refuseForeignPattern(name: string, args: readonly ASTNode[]): void {
  const pattern = args[1];
  if (!['matches', 'find', 'findAll'].includes(name) || pattern?.op !== 'value') return;
  if (typeof pattern.args !== 'string') throw unsupported('a pattern that is no text', pattern);
  const fault = tryPattern(pattern.args);
  if (fault instanceof PatternFault) {
    throw unsupported(`the regular expression (${fault.message})`, pattern);
  }
}
