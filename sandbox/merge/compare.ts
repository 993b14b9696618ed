/**
 * Compares the object before and after a write: fields that are new or different, and removed ones.
 * Branches that both objects share by reference are skipped. Rule: typed/compare.go of
 * structured-merge-diff (its Added and Modified are one set here, because no caller distinguishes
 * them).
 */
import { isList } from '#shared/domain/json-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { type FieldSet, leaf, node, nothing, union } from './field-set.ts';
import { type FieldType, kindOf, type Kind, type ListType, type MapType } from './field-type.ts';
import { objectOr } from '../apimachinery/json-value.ts';
import { itemName } from './list-key.ts';

export interface Change {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** Undefined: no node. An empty set would be a member of the set above it. */
interface Delta {
  readonly changed: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}

const same: Delta = { changed: undefined, removed: undefined };
const modified: Delta = { changed: leaf, removed: undefined };

/** Throws `UnnamedItem`. */
export function compare(type: FieldType, before: Json, after: Json): Change {
  const { changed, removed } = difference(type, before, after);
  return { changed: changed ?? nothing, removed: removed ?? nothing };
}

function difference(
  type: FieldType | undefined,
  before: Json | undefined,
  after: Json | undefined,
): Delta {
  if (before === after || type?.ignored) return same;
  if (before === undefined) {
    return after === undefined ? same : { changed: allOf(type, after), removed: undefined };
  }
  if (after === undefined) return { changed: undefined, removed: allOf(type, before) };
  if (type === undefined) return jsonEqual(before, after) ? same : modified;
  const kind = kindOf(type, before);
  const kindAfter = kindOf(type, after);
  const delta = ofKind(type, kind, before, after);
  return kind === kindAfter ? delta : both(delta, ofKind(type, kindAfter, before, after));
}

function ofKind(type: FieldType, kind: Kind, before: Json, after: Json): Delta {
  if (kind === 'list' && type.list) return lists(type.list, before, after);
  if (kind === 'map' && type.map) return maps(type.map, before, after);
  return jsonEqual(before, after) ? same : modified;
}

function maps(type: MapType, before: Json, after: Json): Delta {
  const left = objectOr(before);
  const right = objectOr(after);
  if (type.isAtomic || (isBare(left) && isBare(right))) {
    return jsonEqual(before, after) ? same : modified;
  }
  const delta = new Draft();
  for (const name in left) {
    delta.add(`f:${name}`, difference(type.typeOf(name), left[name], right[name]));
  }
  for (const name in right) {
    if (left[name] === undefined) {
      delta.add(`f:${name}`, difference(type.typeOf(name), undefined, right[name]));
    }
  }
  return delta.done();
}

function lists(type: ListType, before: Json, after: Json): Delta {
  const left = isList(before) ? before : [];
  const right = isList(after) ? after : [];
  if (type.relation === 'atomic' || (left.length === 0 && right.length === 0)) {
    return jsonEqual(before, after) ? same : modified;
  }
  const delta = new Draft();
  const wasAt = byName(type, left);
  const isAt = byName(type, right);
  for (const [name, was] of wasAt) delta.add(name, items(type, was, isAt.get(name)));
  for (const [name, is] of isAt) {
    if (!wasAt.has(name)) delta.add(name, items(type, undefined, is));
  }
  return delta.done();
}

/** Items with the same name count as a whole. */
class Duplicates {
  readonly items: Json[];

  constructor(first: Json) {
    this.items = [first];
  }
}

type Named = Json | Duplicates | undefined;

function items(type: ListType, was: Named, is: Named): Delta {
  if (!(was instanceof Duplicates)) {
    if (!(is instanceof Duplicates)) return difference(type.item, was, is);
    return both(difference(type.item, was, undefined), modified);
  }
  if (is instanceof Duplicates) return jsonEqual(was.items, is.items) ? same : modified;
  return both(difference(type.item, undefined, is), { changed: undefined, removed: leaf });
}

function byName(type: ListType, list: readonly Json[]): ReadonlyMap<string, Json | Duplicates> {
  const named = new Map<string, Json | Duplicates>();
  for (const item of list) {
    const name = itemName(type, item);
    const other = named.get(name);
    if (other === undefined) named.set(name, item);
    else if (other instanceof Duplicates) other.items.push(item);
    else {
      const duplicates = new Duplicates(other);
      duplicates.items.push(item);
      named.set(name, duplicates);
    }
  }
  return named;
}

/** Every field of a value that was added or removed as a whole, including containers. */
function allOf(type: FieldType | undefined, value: Json): FieldSet | undefined {
  if (type === undefined) return leaf;
  if (type.ignored) return undefined;
  const kind = kindOf(type, value);
  const children: Record<string, FieldSet> = {};
  if (kind === 'map' && type.map && !type.map.isAtomic) {
    const map = objectOr(value);
    for (const name in map) {
      const member = map[name];
      const all = member === undefined ? undefined : allOf(type.map.typeOf(name), member);
      if (all !== undefined) children[`f:${name}`] = all;
    }
  }
  if (kind === 'list' && type.list && type.list.relation !== 'atomic' && isList(value)) {
    for (const [name, named] of byName(type.list, value)) {
      const all = named instanceof Duplicates ? leaf : allOf(type.list.item, named);
      if (all !== undefined) children[name] = all;
    }
  }
  return node(true, children);
}

function isBare(map: JsonObject): boolean {
  for (const name in map) if (map[name] !== undefined) return false;
  return true;
}

function both(one: Delta, other: Delta): Delta {
  return { changed: join(one.changed, other.changed), removed: join(one.removed, other.removed) };
}

function join(one: FieldSet | undefined, other: FieldSet | undefined): FieldSet | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return union({ at: one }, { at: other })['at'];
}

class Draft {
  #changed: Record<string, FieldSet> | undefined;
  #removed: Record<string, FieldSet> | undefined;

  add(element: string, { changed, removed }: Delta): void {
    if (changed !== undefined) (this.#changed ??= {})[element] = changed;
    if (removed !== undefined) (this.#removed ??= {})[element] = removed;
  }

  done(): Delta {
    if (this.#changed === undefined && this.#removed === undefined) return same;
    return {
      changed: this.#changed,
      removed: this.#removed,
    };
  }
}
