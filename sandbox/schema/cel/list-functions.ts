/** Functions on lists: of Kubernetes (library/lists.go), of cel-go (ext/lists.go, ext/sets.go). */
import { arithmetic } from './arithmetic.ts';
import { checkBuilt } from './cost.ts';
import { CelFault, noSuchOverload } from './cel-fault.ts';
import { CelList, Duration, ListValue, Uint, type CelValue } from './cel-value.ts';
import { compare, equal } from './equality.ts';

export function itemsOf(value: CelValue | undefined): readonly CelValue[] {
  if (value instanceof CelList) return value.items();
  throw noSuchOverload();
}

export function isSorted(list: CelValue): CelValue {
  const items = itemsOf(list);
  return items.every((item, at) => at === 0 || order(items[at - 1] ?? null, item) <= 0);
}

/** Of an empty list: 0, an int. */
export function sum(list: CelValue): CelValue {
  const [first, ...rest] = itemsOf(list);
  if (first === undefined) return 0n;
  const isSummable =
    typeof first === 'bigint' ||
    typeof first === 'number' ||
    first instanceof Uint ||
    first instanceof Duration;
  if (!isSummable) throw noSuchOverload();
  return rest.reduce((total, item) => arithmetic['+'](total, item), first);
}

export function least(list: CelValue): CelValue {
  return extreme('min', itemsOf(list), 1);
}

export function greatest(list: CelValue): CelValue {
  return extreme('max', itemsOf(list), -1);
}

/** Items without an order count as equal here. */
function order(left: CelValue, right: CelValue): number {
  try {
    return compare(left, right);
  } catch (fault) {
    if (fault instanceof CelFault) return 0;
    throw fault;
  }
}

function extreme(name: string, items: readonly CelValue[], worse: number): CelValue {
  const [first, ...rest] = items;
  if (first === undefined) throw new CelFault(`${name} called on empty list`);
  return rest.reduce((best, item) => (order(best, item) * worse > 0 ? item : best), first);
}

export function indexOfItem(list: CelValue, item: CelValue): CelValue {
  return BigInt(itemsOf(list).findIndex((other) => equal(other, item)));
}

export function lastIndexOfItem(list: CelValue, item: CelValue): CelValue {
  return BigInt(itemsOf(list).findLastIndex((other) => equal(other, item)));
}

export function reversed(list: CelValue): CelValue {
  return new ListValue([...itemsOf(list)].reverse());
}

export function distinct(list: CelValue): CelValue {
  const found: CelValue[] = [];
  for (const item of itemsOf(list)) {
    if (!found.some((other) => equal(other, item))) found.push(item);
  }
  return new ListValue(found);
}

export function slice(list: CelValue, start?: CelValue, end?: CelValue): CelValue {
  const items = itemsOf(list);
  if (typeof start !== 'bigint' || typeof end !== 'bigint') throw noSuchOverload();
  const refuse = (why: string) => new CelFault(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) throw refuse('negative indexes not supported');
  if (start > end) throw refuse('start index must be less than or equal to end index');
  if (end > items.length) throw refuse(`list is length ${items.length}`);
  return new ListValue(items.slice(Number(start), Number(end)));
}

/** One level, or as many as asked for. */
export function flatten(list: CelValue, depth: CelValue = 1n): CelValue {
  if (typeof depth !== 'bigint') throw noSuchOverload();
  if (depth < 0n) throw new CelFault('level must be non-negative');
  return new ListValue(flatItems(itemsOf(list), depth));
}

function flatItems(items: readonly CelValue[], depth: bigint): readonly CelValue[] {
  return items.flatMap((item) =>
    depth > 0n && item instanceof CelList ? flatItems(item.items(), depth - 1n) : [item],
  );
}

export function range(count: CelValue): CelValue {
  if (typeof count !== 'bigint') throw noSuchOverload();
  checkBuilt(Number(count));
  return new ListValue(Array.from({ length: Number(count) }, (_, at) => BigInt(at)));
}

export function sort(list: CelValue): CelValue {
  return sortedBy(itemsOf(list), (item) => item);
}

export function sortedBy(
  items: readonly CelValue[],
  keyOf: (item: CelValue) => CelValue,
): ListValue {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort((left, right) => {
    if (typeof left.key !== typeof right.key) {
      throw new CelFault('list elements must have the same type');
    }
    return compare(left.key, right.key);
  });
  return new ListValue(keyed.map(({ item }) => item));
}

export function setContains(list: CelValue, wanted: CelValue): boolean {
  const items = itemsOf(list);
  return itemsOf(wanted).every((item) => items.some((other) => equal(other, item)));
}

export function setsAreEquivalent(left: CelValue, right: CelValue): boolean {
  return setContains(left, right) && setContains(right, left);
}

export function setsIntersect(left: CelValue, right: CelValue): boolean {
  const items = itemsOf(right);
  return itemsOf(left).some((item) => items.some((other) => equal(other, item)));
}
