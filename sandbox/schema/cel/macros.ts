/** Macros that CEL expands before the evaluation: `has`, the comprehensions and the optional macros. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { CelFault, noSuchOverload } from './cel-fault.ts';
import {
  CelList,
  CelMap,
  ListValue,
  MapValue,
  none,
  Optional,
  typeName,
  type CelValue,
} from './cel-value.ts';
import { cost } from './cost.ts';
import { isConstant, operandOf } from './priced.ts';
import {
  asBool,
  innerScope,
  unsupported,
  type Compile,
  type Frame,
  type Run,
  type Scope,
} from './scope.ts';

type Call = Extract<ASTNode, { op: 'call' | 'rcall' }>;

/** Iterates over a collection with the variables bound, until `visit` returns false. */
type Loop = (frame: Frame, visit: () => boolean) => void;

/** Costs of cel-go's expansion of a comprehension, besides its collection, filter and body. */
interface Prices {
  /** Before each item, including the one that ends the loop. */
  readonly condition: number;
  /** For each item that passes the filter. */
  readonly step: number;
  readonly result: number;
}

interface Parts {
  readonly loop: Loop;
  readonly body: Run;
  /** Absent in the shorter form. */
  readonly filter: Run | undefined;
  readonly place: number;
  /** Charges for an item that passed the filter. */
  readonly onStep: () => void;
}

interface Comprehension {
  readonly prices: Prices;
  readonly build: (parts: Parts) => Run;
}

/** For reading the accumulator and adding to it. */
const gather = { condition: 0, step: 2 + cost.list, result: 1 };

const one: Comprehension = { prices: { condition: 0, step: 2, result: 2 }, build: exactlyOne };
const list: Comprehension = { prices: gather, build: gathered };
const comprehensions: Readonly<Record<string, Comprehension>> = {
  all: { prices: { condition: 2, step: 1, result: 1 }, build: (parts) => quantifier(parts, false) },
  exists: {
    prices: { condition: 3, step: 1, result: 1 },
    build: (parts) => quantifier(parts, true),
  },
  exists_one: one,
  existsOne: one,
  filter: {
    prices: { ...gather, step: gather.step + cost.identifier },
    build: ({ body, place, ...parts }) =>
      gathered({ ...parts, place, body: (frame) => frame[place] ?? null, filter: body }),
  },
  map: list,
  transformList: list,
  transformMap: {
    prices: { condition: 0, step: 3, result: 1 },
    build: (parts) =>
      mapped(parts, (frame) => [[frame[parts.place] ?? null, parts.body(frame)] as const]),
  },
  transformMapEntry: {
    prices: { condition: 0, step: 2, result: 1 },
    build: (parts) => mapped(parts, (frame) => entriesOf(parts.body(frame))),
  },
};

/** Accepted numbers of variables, and whether a filter may precede the body. */
const forms: Readonly<Record<string, readonly (readonly [variables: number, filters: number])[]>> =
  {
    all: [
      [1, 0],
      [2, 0],
    ],
    exists: [
      [1, 0],
      [2, 0],
    ],
    exists_one: [
      [1, 0],
      [2, 0],
    ],
    existsOne: [[2, 0]],
    filter: [[1, 0]],
    map: [
      [1, 0],
      [1, 1],
    ],
    transformList: [
      [2, 0],
      [2, 1],
    ],
    transformMap: [
      [2, 0],
      [2, 1],
    ],
    transformMapEntry: [
      [2, 0],
      [2, 1],
    ],
  };

/** Undefined: the call is one of a function. */
export function compileMacro(node: Call, scope: Scope, compile: Compile): Run | undefined {
  if (node.op === 'call') {
    const [name, args] = node.args;
    const [first] = args;
    return name === 'has' && first && args.length === 1
      ? presence(first, scope, compile)
      : undefined;
  }
  const [name, receiver, args] = node.args;
  const [first, second] = args;
  if (name === 'optMap' && second) return optionalMap(node, second, scope, compile, false);
  if (name === 'optFlatMap' && second) return optionalMap(node, second, scope, compile, true);
  if (name === 'or' && first) return alternative(receiver, first, scope, compile, true);
  if (name === 'orValue' && first) return alternative(receiver, first, scope, compile, false);
  return comprehension(name, receiver, args, scope, compile);
}

function comprehension(
  name: string,
  receiver: ASTNode,
  args: readonly ASTNode[],
  scope: Scope,
  compile: Compile,
): Run | undefined {
  const found = Object.hasOwn(comprehensions, name) ? comprehensions[name] : undefined;
  const form = forms[name]?.find(([variables, filters]) => variables + filters + 1 === args.length);
  if (found === undefined || form === undefined) return undefined;
  const names = args.slice(0, form[0]).map(variableName);
  const inner = innerScope(scope, names);
  const [body, filter] = args
    .slice(form[0])
    .reverse()
    .map((arg) => compile(arg, inner));
  if (body === undefined) return undefined;
  const { meter, depth: place } = scope;
  const { condition, step, result } = found.prices;
  // A constant body makes a constant list, which costs nothing.
  const isFixed = found === list && args.slice(-1).every(isConstant);
  const loop = loopOver(compile(receiver, scope), place, form[0] === 2, () => {
    meter.charge(condition);
  });
  const onStep = (): void => meter.charge(isFixed ? step - cost.list : step);
  const run = found.build({ loop, body, filter, place, onStep });
  return (frame) => {
    const value = run(frame);
    meter.charge(result);
    return value;
  };
}

function loopOver(collection: Run, place: number, hasTwo: boolean, onCondition: () => void): Loop {
  return (frame, visit) => {
    let goesOn = true;
    for (const [key, value] of pairsOf(collection(frame), hasTwo)) {
      onCondition();
      if (!goesOn) return;
      frame[place] = key;
      if (hasTwo) frame[place + 1] = value;
      goesOn = visit();
    }
  };
}

/** With one variable: the items of a list, or the keys of a map. With two, also their positions or values. */
function* pairsOf(
  value: CelValue,
  hasTwo: boolean,
): Generator<readonly [key: CelValue, value: CelValue]> {
  if (value instanceof CelList) {
    const items = value.items();
    for (let at = 0; at < items.length; at += 1) {
      const item = items[at] ?? null;
      yield hasTwo ? [BigInt(at), item] : [item, item];
    }
  } else if (value instanceof CelMap) {
    for (const key of value.keys()) yield [key, hasTwo ? (value.find(key) ?? null) : null];
  } else {
    throw new CelFault(`got '${goTypeName(value)}', expected iterable type`);
  }
}

function goTypeName(value: CelValue): string {
  const name = typeName(value).replace(/^google\.protobuf\.|_type$/g, '');
  return `types.${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** `exists` if `decider` is true, `all` if it is false. A deciding item takes precedence over faults of others. */
function quantifier({ loop, body, onStep }: Parts, decider: boolean): Run {
  return (frame) => {
    const faults: CelFault[] = [];
    let result = !decider;
    loop(frame, () => {
      onStep();
      try {
        result = asBool(body(frame));
      } catch (fault) {
        if (!(fault instanceof CelFault)) throw fault;
        faults.push(fault);
      }
      return result !== decider;
    });
    const [fault] = faults;
    if (result === decider || fault === undefined) return result;
    throw fault;
  };
}

function exactlyOne({ loop, body, onStep }: Parts): Run {
  return (frame) => {
    let count = 0;
    loop(frame, () => {
      if (!asBool(body(frame))) return true;
      onStep();
      count += 1;
      return true;
    });
    return count === 1;
  };
}

function gathered({ loop, body, filter, onStep }: Parts): Run {
  return (frame) => {
    const items: CelValue[] = [];
    loop(frame, () => {
      if (filter !== undefined && !asBool(filter(frame))) return true;
      onStep();
      items.push(body(frame));
      return true;
    });
    return new ListValue(items);
  };
}

function mapped(
  { loop, filter, onStep }: Parts,
  entriesAt: (frame: Frame) => readonly (readonly [CelValue, CelValue])[],
): Run {
  return (frame) => {
    const entries: (readonly [CelValue, CelValue])[] = [];
    loop(frame, () => {
      if (filter !== undefined && !asBool(filter(frame))) return true;
      onStep();
      entries.push(...entriesAt(frame));
      return true;
    });
    return new MapValue(entries, true);
  };
}

function entriesOf(value: CelValue): readonly [CelValue, CelValue][] {
  if (!(value instanceof CelMap)) {
    throw noSuchOverload(`cel.@mapInsert(map, ${typeName(value)})`);
  }
  return value.keys().map((key) => [key, value.find(key) ?? null]);
}

/** `has(a.b)`: whether the field is set. `a` itself must exist. */
function presence(node: ASTNode, scope: Scope, compile: Compile): Run {
  if (node.op !== '.') throw unsupported('has() without a field', node);
  const [operand, name] = node.args;
  // The test itself is free.
  const run = operandOf(operand, scope, compile);
  return (frame) => {
    const value = run(frame);
    const target = value instanceof Optional ? value.held : value;
    if (target === undefined) return false;
    if (target instanceof CelMap) return target.find(name) !== undefined;
    throw noSuchOverload();
  };
}

function optionalMap(
  { args: [, receiver, [variable]] }: Extract<ASTNode, { op: 'rcall' }>,
  body: ASTNode,
  scope: Scope,
  compile: Compile,
  isFlat: boolean,
): Run {
  const inner = innerScope(scope, [variableName(variable)]);
  const run = compile(body, inner);
  const source = compile(receiver, scope);
  const { meter } = scope;
  return (frame) => {
    const before = meter.spent;
    const value = source(frame);
    const again = meter.spent - before;
    if (!(value instanceof Optional)) throw noSuchOverload();
    // Calls of hasValue(), and of optional.none() or value().
    meter.charge(2);
    if (value.held === undefined) return none;
    // The API server evaluates the receiver once more for value(), and optional.of() for the result.
    meter.charge(isFlat ? again : again + 1);
    frame[scope.depth] = value.held;
    const result = run(frame);
    return isFlat ? result : new Optional(result);
  };
}

/** `or` returns an optional and `orValue` its value. The other side is evaluated only when needed. */
function alternative(
  receiver: ASTNode,
  other: ASTNode,
  scope: Scope,
  compile: Compile,
  keeps: boolean,
): Run {
  const first = compile(receiver, scope);
  const second = compile(other, scope);
  return (frame) => {
    const value = first(frame);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.held === undefined) return second(frame);
    return keeps ? value : value.held;
  };
}

function variableName(node: ASTNode | undefined): string {
  if (node?.op === 'id') return node.args;
  throw unsupported('a variable that is no plain name', node);
}
