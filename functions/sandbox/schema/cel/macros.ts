/** What CEL expands before it evaluates: `has`, the comprehensions and the optional macros. */
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
import {
  asBool,
  innerScope,
  unsupported,
  type Compile,
  type Frame,
  type Run,
  type Scope,
} from './scope.ts';
import { sortedBy } from './list-functions.ts';

type Call = Extract<ASTNode, { op: 'call' | 'rcall' }>;

/** Goes over a collection with the variables bound, until `visit` answers false. */
type Loop = (frame: Frame, visit: () => boolean) => void;

/** Of `filter` and `body`, the filter is absent in the shorter form. */
type Comprehension = (loop: Loop, body: Run, filter: Run | undefined, place: number) => Run;

const comprehensions: Readonly<Record<string, Comprehension>> = {
  all: (loop, body) => quantifier(loop, body, false),
  exists: (loop, body) => quantifier(loop, body, true),
  exists_one: exactlyOne,
  existsOne: exactlyOne,
  filter: (loop, body, _filter, place) => gathered(loop, (frame) => frame[place] ?? null, body),
  map: gathered,
  transformList: gathered,
  transformMap: (loop, body, filter, place) => (frame) => {
    const entries: [CelValue, CelValue][] = [];
    loop(frame, () => {
      if (filter === undefined || asBool(filter(frame))) {
        entries.push([frame[place] ?? null, body(frame)]);
      }
      return true;
    });
    return new MapValue(entries, true);
  },
  transformMapEntry: (loop, body, filter) => (frame) => {
    const entries: [CelValue, CelValue][] = [];
    loop(frame, () => {
      if (filter === undefined || asBool(filter(frame))) entries.push(...entriesOf(body(frame)));
      return true;
    });
    return new MapValue(entries, true);
  },
};
/** The numbers of variables, and whether a filter may stand before the body. */
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

/** Undefined when the call is of a function. */
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
  if (name === 'sortBy' && second) return sorted(node, second, scope, compile);
  return comprehension(name, receiver, args, scope, compile);
}

function comprehension(
  name: string,
  receiver: ASTNode,
  args: readonly ASTNode[],
  scope: Scope,
  compile: Compile,
): Run | undefined {
  const build = Object.hasOwn(comprehensions, name) ? comprehensions[name] : undefined;
  const form = forms[name]?.find(([variables, filters]) => variables + filters + 1 === args.length);
  if (build === undefined || form === undefined) return undefined;
  const names = args.slice(0, form[0]).map(variableName);
  const inner = innerScope(scope, names);
  const [body, filter] = args
    .slice(form[0])
    .reverse()
    .map((arg) => compile(arg, inner));
  const loop = loopOver(compile(receiver, scope), scope.depth, form[0] === 2);
  return body && build(loop, body, filter, scope.depth);
}

/** With one variable: the items of a list, the keys of a map; with two, also their place or value. */
function loopOver(collection: Run, place: number, hasTwo: boolean): Loop {
  return (frame, visit) => {
    const value = collection(frame);
    if (value instanceof CelList) {
      const items = value.items();
      for (let at = 0; at < items.length; at += 1) {
        frame[hasTwo ? place + 1 : place] = items[at] ?? null;
        if (hasTwo) frame[place] = BigInt(at);
        if (!visit()) return;
      }
    } else if (value instanceof CelMap) {
      for (const key of value.keys()) {
        frame[place] = key;
        if (hasTwo) frame[place + 1] = value.find(key) ?? null;
        if (!visit()) return;
      }
    } else {
      throw new CelFault(`got '${goTypeName(value)}', expected iterable type`);
    }
  };
}

function goTypeName(value: CelValue): string {
  const name = typeName(value).replace(/^google\.protobuf\.|_type$/g, '');
  return `types.${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** `exists` for `decider` true, `all` for false; what decides wins over faults elsewhere. */
function quantifier(loop: Loop, body: Run, decider: boolean): Run {
  return (frame) => {
    const faults: CelFault[] = [];
    let result = !decider;
    loop(frame, () => {
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

function exactlyOne(loop: Loop, body: Run): Run {
  return (frame) => {
    let count = 0;
    loop(frame, () => {
      if (asBool(body(frame))) count += 1;
      return true;
    });
    return count === 1;
  };
}

function gathered(loop: Loop, body: Run, filter: Run | undefined): Run {
  return (frame) => {
    const items: CelValue[] = [];
    loop(frame, () => {
      if (filter === undefined || asBool(filter(frame))) items.push(body(frame));
      return true;
    });
    return new ListValue(items);
  };
}

function entriesOf(value: CelValue): readonly [CelValue, CelValue][] {
  if (!(value instanceof CelMap)) {
    throw noSuchOverload(`cel.@mapInsert(map, ${typeName(value)})`);
  }
  return value.keys().map((key) => [key, value.find(key) ?? null]);
}

/** `has(a.b)`: whether the field is set; `a` itself has to be there. */
function presence(node: ASTNode, scope: Scope, compile: Compile): Run {
  if (node.op !== '.') throw unsupported('has() without a field', node);
  const [operand, name] = node.args;
  const run = compile(operand, scope);
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
  return (frame) => {
    const value = source(frame);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.held === undefined) return none;
    frame[scope.depth] = value.held;
    const mapped = run(frame);
    return isFlat ? mapped : new Optional(mapped);
  };
}

/** `or` keeps the optional, `orValue` opens it; the other side is only evaluated when needed. */
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

function sorted(
  { args: [, receiver, [variable]] }: Extract<ASTNode, { op: 'rcall' }>,
  body: ASTNode,
  scope: Scope,
  compile: Compile,
): Run {
  const inner = innerScope(scope, [variableName(variable)]);
  const key = compile(body, inner);
  const list = compile(receiver, scope);
  return (frame) => {
    const value = list(frame);
    if (!(value instanceof CelList)) throw noSuchOverload();
    return sortedBy(value.items(), (item) => {
      frame[scope.depth] = item;
      return key(frame);
    });
  };
}

function variableName(node: ASTNode | undefined): string {
  if (node?.op === 'id') return node.args;
  throw unsupported('a variable that is no plain name', node);
}
