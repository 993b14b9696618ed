import { isObject } from './json-value.ts';
import type { Json, JsonObject } from './objects.ts';
import { ownMember, setOwnMember } from './own-member.ts';

/**
 * The JSON merge patch (RFC 7386) that turns `from` into `to`, or undefined when they are equal.
 * Absent and undefined are the same. `to` must hold no null, which a merge patch cannot write.
 */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject | undefined {
  let patch: Record<string, Json> | undefined;
  for (const key of Object.keys(from)) {
    if (from[key] === undefined || ownMember(to, key) !== undefined) continue;
    setOwnMember((patch ??= {}), key, null);
  }
  for (const key of Object.keys(to)) {
    const wanted = to[key];
    if (wanted === undefined) continue;
    const change = memberPatch(ownMember(from, key), wanted);
    if (change !== undefined) setOwnMember((patch ??= {}), key, change);
  }
  return patch;
}

/** Applies a merge patch as a server does: the inverse of `mergePatch`. */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const before = isObject(target) ? target : {};
  const changes = Object.entries(patch).filter(([, change]) => change !== undefined);
  // Copying the whole object is cheap. Deleting a member makes every later operation on the copy
  // slow.
  if (changes.some(([, change]) => change === null)) return applyOneByOne(before, changes);
  const after: Record<string, Json | undefined> = { ...before };
  for (const [key, change] of changes) {
    setOwnMember(after, key, applyMergePatch(ownMember(before, key), change ?? null));
  }
  return after;
}

function applyOneByOne(
  before: JsonObject,
  changes: readonly (readonly [string, Json | undefined])[],
): Json {
  const members = new Map(Object.entries(before));
  for (const [key, change] of changes) {
    if (change === null || change === undefined) members.delete(key);
    else members.set(key, applyMergePatch(members.get(key), change));
  }
  return Object.fromEntries(members);
}

/**
 * Deep equality of JSON values. Absent and undefined members are equal. Identical references are not
 * compared further.
 */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    return false;
  }
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => jsonEqual(item, right[index]))
    );
  }
  return !Array.isArray(right) && sameMembers(left as Members, right as Members);
}

type Members = Readonly<Record<string, unknown>>;

/** Builds no list of names: equal objects are compared all the time. */
function sameMembers(left: Members, right: Members): boolean {
  let count = 0;
  for (const name in left) {
    const value = left[name];
    if (value === undefined) continue;
    if (!jsonEqual(value, ownMember(right, name))) return false;
    count += 1;
  }
  for (const name in right) {
    if (right[name] !== undefined) count -= 1;
  }
  return count === 0;
}

function memberPatch(from: Json | undefined, to: Json): Json | undefined {
  if (isObject(from) && isObject(to)) return mergePatch(from, to);
  return jsonEqual(from, to) ? undefined : to;
}
