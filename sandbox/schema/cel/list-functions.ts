/** Kubernetes' functions on lists (library/lists.go). */
import { arithmetic } from './arithmetic.ts';
import { noSuchOverload } from './cel-fault.ts';
import { CelList, Duration, Uint, type CelValue } from './cel-value.ts';
import { equal } from './equality.ts';

export function itemsOf(value: CelValue | undefined): readonly CelValue[] {
  if (value instanceof CelList) return value.items();
  throw noSuchOverload();
}

/** The sum of an empty list is 0, an int. */
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

export function indexOfItem(list: CelValue, item: CelValue): CelValue {
  return BigInt(itemsOf(list).findIndex((other) => equal(other, item)));
}
