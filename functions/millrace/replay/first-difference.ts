import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

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
  if (before === after) return undefined;
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return among([...names].sort(), path, (name) => [own(before, name), own(after, name)]);
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
    const found = firstDifference(...valuesOf(name), path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isListLike(value: Json | undefined): value is readonly Json[] {
  return value !== undefined && isList(value);
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
