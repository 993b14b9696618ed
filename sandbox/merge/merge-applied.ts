/**
 * Merges an applied object into the live one: nothing is removed, leaves come from the applied
 * object, and list items are matched by name. Unchanged parts are shared with the live object.
 * Rule: typed/merge.go of structured-merge-diff.
 */
import { isList } from '#shared/domain/json-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { type FieldType, kindOf, type ListType, type MapType } from './field-type.ts';
import { objectOr } from '../apimachinery/json-value.ts';
import { itemName } from './list-key.ts';

/** Throws `UnnamedItem`. */
export function mergeApplied(type: FieldType | undefined, live: Json, applied: Json): Json {
  if (type === undefined) return ifNew(live, applied);
  const kind = kindOf(type, applied);
  if (kind === kindOf(type, live)) {
    if (kind === 'map' && type.map?.isAtomic === false) return maps(type.map, live, applied);
    if (kind === 'list' && type.list && type.list.relation !== 'atomic') {
      return lists(type.list, live, applied);
    }
  }
  return ifNew(live, applied);
}

function maps(type: MapType, live: Json, applied: Json): Json {
  const left = objectOr(live);
  const right = objectOr(applied);
  if (Object.keys(right).length === 0) return Object.keys(left).length === 0 ? applied : live;
  let merged: Record<string, Json | undefined> | undefined;
  for (const [name, value] of Object.entries(right)) {
    if (value === undefined) continue;
    const was = left[name];
    const is = was === undefined ? value : mergeApplied(type.typeOf(name), was, value);
    if (is !== was) (merged ??= { ...left })[name] = is;
  }
  return merged ?? live;
}

function lists(type: ListType, live: Json, applied: Json): Json {
  const left = isList(live) ? live : [];
  const right = isList(applied) ? applied : [];
  if (right.length === 0) return left.length === 0 ? applied : live;
  const merged = ordered(type, left, right);
  return merged.length === left.length && merged.every((item, index) => item === left[index])
    ? live
    : merged;
}

/** Common items in the applied order. The live ones keep their places between them. */
function ordered(type: ListType, live: readonly Json[], applied: readonly Json[]): Json[] {
  const liveNames = live.map((item) => itemName(type, item));
  const appliedNames = applied.map((item) => itemName(type, item));
  const liveItems = byName(liveNames, live);
  const appliedItems = byName(appliedNames, applied);
  const shared = appliedNames.filter((name) => liveItems.has(name));
  const merged: Json[] = [];
  const done = new Set<string>();
  let next = 0;
  const take = (at: number): void => {
    const name = appliedNames[at] ?? '';
    const was = liveItems.get(name);
    const is = applied[at] ?? null;
    done.add(name);
    merged.push(was === undefined || was === null ? is : mergeApplied(type.item, was, is));
  };
  for (let left = 0, right = 0; left < live.length || right < applied.length;) {
    const name = liveNames[left];
    if (name !== undefined && right < applied.length) {
      if (name === appliedNames[right]) {
        take(right);
        left += 1;
        right += 1;
        next += 1;
        continue;
      }
      if (appliedItems.has(name) && next < shared.length && shared[next] !== name) {
        left += 1;
        continue;
      }
    }
    if (name !== undefined) {
      if (!appliedItems.has(name)) {
        merged.push(live[left] ?? null);
        left += 1;
        continue;
      }
      if (done.has(name)) left += 1;
    }
    if (right < applied.length) {
      const taken = appliedNames[right];
      take(right);
      right += 1;
      if (shared[next] === taken) next += 1;
    }
  }
  return merged;
}

/** Null marks duplicates, which are replaced as a whole. */
function byName(names: readonly string[], list: readonly Json[]): ReadonlyMap<string, Json> {
  const items = new Map<string, Json>();
  names.forEach((name, index) => items.set(name, items.has(name) ? null : (list[index] ?? null)));
  return items;
}

function ifNew(live: Json, applied: Json): Json {
  return jsonEqual(live, applied) ? live : applied;
}
