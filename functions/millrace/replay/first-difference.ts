import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

export interface Difference {
  /** Members and indexes that lead to it, joined by dots. */
  readonly path: string;
  /** Undefined: there is no such member. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Undefined: they are equal, whatever the order of their members. A member that is undefined is none. */
export function firstDifference(
  before: Json | undefined,
  after: Json | undefined,
  path = '',
): Difference | undefined {
  // Nearly all are, and to find that out is several times as cheap.
  return isEqual(before, after) ? undefined : differenceBelow(before, after, path);
}

function isEqual(before: Json | undefined, after: Json | undefined): boolean {
  if (before === after) return true;
  if (isObject(before) && isObject(after)) return hasEqualMembers(before, after);
  if (!isListLike(before) || !isListLike(after)) return false;
  return before.length === after.length && before.every((item, at) => isEqual(item, after[at]));
}

function hasEqualMembers(before: JsonObject, after: JsonObject): boolean {
  let more = 0;
  for (const name of Object.keys(after)) {
    const member = ownMember(after, name);
    if (member === undefined) continue;
    if (!isEqual(ownMember(before, name), member)) return false;
    more += 1;
  }
  for (const name of Object.keys(before)) if (ownMember(before, name) !== undefined) more -= 1;
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
