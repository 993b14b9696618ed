import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

export interface Difference {
  /** Path of members and indexes, joined by dots. */
  readonly path: string;
  /** Undefined: the member does not exist. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Undefined: the values are equal. The order of members does not matter, and undefined members do not count. */
export function firstDifference(
  before: Json | undefined,
  after: Json | undefined,
  path = '',
): Difference | undefined {
  // Nearly all values are equal, and this check is several times cheaper.
  return isEqual(before, after) ? undefined : differenceBelow(before, after, path);
}

/**
 * Whether there is no difference. `reading` may return another value for a member of `after` that differs.
 * Undefined: it stays as it is.
 */
export function isEqual(
  before: Json | undefined,
  after: Json | undefined,
  reading?: (name: string, value: Json) => Json | undefined,
): boolean {
  if (before === after) return true;
  if (typeof before !== 'object' || typeof after !== 'object') return false;
  if (before === null || after === null) return false;
  if (isList(before) || isList(after)) {
    if (!isList(before) || !isList(after) || before.length !== after.length) return false;
    return before.every((item, at) => isEqual(item, after[at], reading));
  }
  let more = 0;
  for (const name of Object.keys(after)) {
    const member = after[name];
    if (member === undefined) continue;
    const known = ownMember(before, name);
    if (known === undefined) return false;
    if (!isEqual(known, member, reading)) {
      const read = reading?.(name, member);
      if (read === undefined || !isEqual(known, read)) return false;
    }
    more += 1;
  }
  for (const name of Object.keys(before)) if (before[name] !== undefined) more -= 1;
  return more === 0;
}

function differenceBelow(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
): Difference | undefined {
  if (before === after) return undefined;
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return among([...names].sort(), path, (name) => [
      ownMember(before, name),
      ownMember(after, name),
    ]);
  }
  if (isListLike(before) && isListLike(after)) {
    const indexes = Array.from({ length: Math.max(before.length, after.length) }, (_, at) => at);
    return among(indexes.map(String), path, (at) => [before[Number(at)], after[Number(at)]]);
  }
  return { path, before, after };
}

function among(
  names: readonly string[],
  path: string,
  valuesOf: (name: string) => readonly [Json | undefined, Json | undefined],
): Difference | undefined {
  for (const name of names) {
    const found = differenceBelow(...valuesOf(name), path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isListLike(value: Json | undefined): value is readonly Json[] {
  return value !== undefined && isList(value);
}
