/**
 * The cost of evaluating an expression in the API server's units: cel-go interpreter/runtimecost.go
 * and common/cost.go, apiserver pkg/cel/library/cost.go (CallCost) and pkg/apis/cel/config.go. A
 * unit is a bounded piece of work, so a limit on the cost limits the work.
 */
import { CelList, CelMap, CelObject, Optional, type CelValue } from './cel-value.ts';

/** For one evaluation of one rule. */
export const perCallLimit = 1_000_000;
/** For all rules about one object. */
export const objectBudget = 10_000_000;

export const cost = { identifier: 1, qualifier: 1, list: 10, map: 30 } as const;
const perCharacter = 0.1;
const perPatternCharacter = 0.25;

/** Not a CelFault, so no `||` and no macro absorbs it. */
export class CostLimitExceeded extends Error {
  override readonly name = 'CostLimitExceeded';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/**
 * Limit in characters and items for the values that an evaluation builds. The API server allows
 * larger results for the cost of one unit, and uses its memory for them.
 */
const buildLimit = 10_000_000;

/** Throws CostLimitExceeded for a result of this size. */
export function checkBuilt(size: number): void {
  if (size > buildLimit) throw new CostLimitExceeded();
}

/** Counts one evaluation at a time. */
export class Meter {
  #spent = 0;
  #built = 0;

  get spent(): number {
    return this.#spent;
  }

  reset(): void {
    this.#spent = 0;
    this.#built = 0;
  }

  /** Counts the size of a new value. Throws CostLimitExceeded. */
  built(value: CelValue): void {
    if (typeof value === 'string') this.#built += value.length;
    else if (value instanceof CelList) this.#built += value.size;
    checkBuilt(this.#built);
  }

  /** Throws CostLimitExceeded. */
  charge(units: number): void {
    this.#spent += units;
    if (this.#spent > perCallLimit) throw new CostLimitExceeded();
  }
}

/** Characters of a text, items of a list, entries of a map. 1 for any other value. */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string') return charactersOf(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Optional && value.held !== undefined) return sizeOf(value.held);
  return 1;
}

function charactersOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code < 0xdc00) count -= 1;
  }
  return count;
}

const traversed = (size: number, times = 1): number => Math.ceil(size * times * perCharacter);

/** The estimated number of states of the pattern, times the length of the text. */
function matchCost(text: CelValue | undefined, patternSize: number): number {
  return traversed(1 + sizeOf(text)) * Math.ceil(patternSize * perPatternCharacter);
}

/** For `==` and `!=`, and for `<` and similar operators on texts. */
export function comparisonCost(left: CelValue, right: CelValue): number {
  if (left instanceof CelObject) return 1;
  return traversed(Math.min(sizeOf(left), sizeOf(right)));
}

export function orderCost(left: CelValue, right: CelValue): number {
  const isText = typeof left === 'string' || left instanceof Uint8Array;
  return isText ? comparisonCost(left, right) : 1;
}

export function additionCost(left: CelValue, right: CelValue): number {
  const isText = typeof left === 'string' || left instanceof Uint8Array;
  return isText ? traversed(sizeOf(left) + sizeOf(right)) : 1;
}

/** For `value in collection`. */
export function membershipCost(collection: CelValue): number {
  return collection instanceof CelList ? collection.size : 1;
}

type CallCost = (args: readonly CelValue[], result: CelValue) => number;

const ofFirst: CallCost = ([first]) => traversed(sizeOf(first));
const twiceFirst: CallCost = ([first]) => traversed(sizeOf(first), 2);
const ofTraversal: CallCost = ([first]) => traversalCost(first);

/** Functions whose cost is not 1. */
const calls: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...[
    ...['startsWith', 'endsWith', 'strings.quote', 'format', 'lowerAscii', 'upperAscii'],
    ...['substring', 'trim'],
  ].map((name) => [name, ofFirst] as const),
  ...['replace', 'split'].map((name) => [name, twiceFirst] as const),
  ...['sum', 'indexOf', 'lastIndexOf'].map((name) => [name, ofTraversal] as const),
  ['matches', ([text, pattern]) => matchCost(text, sizeOf(pattern))],
  ['join', (_args, result) => traversed(sizeOf(result), 2)],
  ['bytes', (args, result) => (typeof args[0] === 'string' ? ofFirst(args, result) : 1)],
  ['string', (args, result) => (args[0] instanceof Uint8Array ? ofFirst(args, result) : 1)],
  ['contains', ([text, part]) => traversed(sizeOf(text)) * traversed(sizeOf(part))],
  // The pattern of the format is unknown here, so that of the longest one is used.
  ['validate', ([, text]) => matchCost(text, longestFormat)],
]);
const longestFormat = 60;

export function callCost(name: string, args: readonly CelValue[], result: CelValue): number {
  return calls.get(name)?.(args, result) ?? 1;
}

function traversalCost(value: CelValue | undefined): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * perCharacter);
  if (value instanceof Uint8Array) return Math.floor(value.length * perCharacter);
  if (value instanceof CelList) {
    return value.items().reduce<number>((sum, item) => sum + traversalCost(item), 0);
  }
  if (value instanceof CelMap) {
    return value
      .keys()
      .reduce<number>((sum, key) => sum + traversalCost(key) + traversalCost(value.find(key)), 0);
  }
  return 1;
}
