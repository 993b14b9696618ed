/**
 * The difference between two JSON values, as JSON.
 *
 * delta-1 `applied(base, difference(base, value))` is `value` to the byte, including the order of members.
 * delta-2 Unchanged parts cost nothing in an object, and two numbers for each row in a list.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';

/** A new value or one of another shape; an object with changed members; a list with changed items. */
export type Delta = Replaced | Members | Items;

export interface Replaced {
  readonly is: Json;
}

/** An empty object changes nothing. */
export interface Members {
  readonly set?: Readonly<Record<string, Delta>>;
  readonly unset?: readonly string[];
  /** The order of all names. Absent: the base's order, then the new names. */
  readonly order?: readonly string[];
}

export interface Items {
  readonly items: readonly Item[];
}

/** Item n of the base; items m to n of it; item n with a difference; a new item. */
export type Item =
  | number
  | readonly [first: number, last: number]
  | readonly [index: number, delta: Delta]
  | Replaced;

/** The form of values in a difference. */
export interface DeltaForm {
  /**
   * Whether a member of this name is written as a whole or not at all, so that its parts are not
   * compared.
   */
  readonly isWhole: (name: string) => boolean;
  /** The written form of a value with this name. The name of a list item is empty. */
  readonly written: (name: string, value: Json) => Json;
}

const everything: DeltaForm = { isWhole: () => false, written: (_name, value) => value };

/** Undefined: they are equal. Parts that are the same object are not compared further. */
export function difference(base: Json, value: Json, form = everything): Delta | undefined {
  return differenceAt('', base, value, form);
}

function differenceAt(name: string, base: Json, value: Json, form: DeltaForm): Delta | undefined {
  if (base === value) return undefined;
  if (isList(base) && isList(value)) return listDifference(base, value, form);
  if (isObject(base) && isObject(value)) return objectDifference(base, value, form);
  return { is: form.written(name, value) };
}

/** The value after the difference. Throws a RangeError if the difference does not fit this base. */
export function applied(base: Json, delta: Delta): Json {
  if ('is' in delta) return delta.is;
  if ('items' in delta) return appliedItems(isList(base) ? base : [], delta.items);
  return appliedMembers(isObject(base) ? base : {}, delta);
}

function objectDifference(base: JsonObject, value: JsonObject, form: DeltaForm): Delta | undefined {
  const names = Object.keys(value);
  return hasSameNames(Object.keys(base), names)
    ? changedMembers(base, value, names, form)
    : otherMembers(base, value, form);
}

/** Most objects differ in values only, and most of their members are equal. */
function changedMembers(
  base: JsonObject,
  value: JsonObject,
  names: readonly string[],
  form: DeltaForm,
): Delta | undefined {
  let set: [string, Delta][] | undefined;
  for (const name of names) {
    const [before, after] = [ownMember(base, name), ownMember(value, name)];
    if (before === after) continue;
    if (before === undefined || after === undefined) return otherMembers(base, value, form);
    const delta = memberDifference(name, before, after, form);
    if (delta !== undefined) (set ??= []).push([name, delta]);
  }
  return set === undefined ? undefined : { set: Object.fromEntries(set) };
}

function otherMembers(base: JsonObject, value: JsonObject, form: DeltaForm): Delta | undefined {
  const names = namesOf(value);
  const set: [string, Delta][] = [];
  for (const name of names) {
    const after = ownMember(value, name) as Json;
    const delta = has(base, name)
      ? memberDifference(name, ownMember(base, name) as Json, after, form)
      : { is: form.written(name, after) };
    if (delta !== undefined) set.push([name, delta]);
  }
  const unset = namesOf(base).filter((name) => !has(value, name));
  const order = isInOrder(base, names, value) ? undefined : names;
  if (set.length === 0 && unset.length === 0 && order === undefined) return undefined;
  return {
    ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }),
    ...(unset.length === 0 ? {} : { unset }),
    ...(order === undefined ? {} : { order }),
  };
}

function hasSameNames(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((name, index) => name === after[index]);
}

function memberDifference(
  name: string,
  base: Json,
  value: Json,
  form: DeltaForm,
): Delta | undefined {
  if (!form.isWhole(name)) return differenceAt(name, base, value, form);
  return difference(base, value) === undefined ? undefined : { is: form.written(name, value) };
}

/** Whether the members have the base's order, with the new ones at the end. */
function isInOrder(base: JsonObject, names: readonly string[], value: JsonObject): boolean {
  let index = 0;
  for (const name of namesOf(base)) {
    if (!has(value, name)) continue;
    if (names[index] !== name) return false;
    index += 1;
  }
  return true;
}

function appliedMembers(base: JsonObject, { set = {}, unset, order }: Members): Json {
  const members =
    order === undefined && unset === undefined ? { ...base } : arranged(base, unset, order);
  for (const [name, delta] of Object.entries(set)) {
    setOwnMember(members, name, applied(ownMember(base, name) ?? null, delta));
  }
  return members;
}

/** The remaining members in their new order, with places for new ones. */
function arranged(
  base: JsonObject,
  unset: readonly string[] = [],
  order: readonly string[] = Object.keys(base),
): Record<string, Json> {
  const members: Record<string, Json> = {};
  for (const name of order) {
    if (!unset.includes(name)) setOwnMember(members, name, ownMember(base, name) ?? null);
  }
  return members;
}

function listDifference(
  base: readonly Json[],
  value: readonly Json[],
  form: DeltaForm,
): Items | undefined {
  const items = new ItemList();
  const find = itemFinder(base);
  let next = 0;
  for (const item of value) {
    const index = find(item, next);
    if (index === undefined) {
      items.add({ is: form.written('', item) });
      continue;
    }
    const delta = difference(base[index] as Json, item, form);
    if (delta === undefined) items.keep(index);
    else items.add([index, delta]);
    next = index + 1;
  }
  const list = items.list(base.length);
  return list === undefined ? undefined : { items: list };
}

/** Items of a list difference, with runs of unchanged items combined. */
class ItemList {
  readonly #items: Item[] = [];
  /** Start of the run that is not in the list yet. */
  #first = 0;
  #next = 0;

  keep(index: number): void {
    if (index !== this.#next) this.#closeRow(index);
    this.#next = index + 1;
  }

  add(item: Item): void {
    this.#closeRow(0);
    this.#items.push(item);
  }

  /** Undefined: these are all the items of a list of this length, unchanged. */
  list(length: number): readonly Item[] | undefined {
    const isAll = this.#items.length === 0 && this.#first === 0 && this.#next === length;
    this.#closeRow(0);
    return isAll ? undefined : this.#items;
  }

  #closeRow(next: number): void {
    const last = this.#next - 1;
    if (last === this.#first) this.#items.push(last);
    else if (last > this.#first) this.#items.push([this.#first, last]);
    this.#first = next;
    this.#next = next;
  }
}

/**
 * Finds the item of the base that the given item most likely comes from. It is the one with the same
 * name (uid, type, kind), or for nameless items the one at the same position.
 */
function itemFinder(base: readonly Json[]): (item: Json, next: number) => number | undefined {
  let indexes: Map<string, number> | undefined;
  return (item, next) => {
    const expected = base[next];
    if (expected !== undefined && (expected === item || keyOf(expected) === keyOf(item))) {
      return next;
    }
    const key = keyOf(item);
    if (key === undefined) return undefined;
    indexes ??= indexed(base);
    return indexes.get(key);
  };
}

function indexed(base: readonly Json[]): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, item] of base.entries()) {
    const key = keyOf(item);
    if (key !== undefined && !indexes.has(key)) indexes.set(key, index);
  }
  return indexes;
}

function keyOf(item: Json): string | undefined {
  if (!isObject(item)) return isList(item) || item === null ? undefined : JSON.stringify(item);
  for (const name of ['uid', 'name', 'type', 'kind']) {
    const value = item[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function appliedItems(base: readonly Json[], items: readonly Item[]): readonly Json[] {
  const list: Json[] = [];
  for (const item of items) {
    if (typeof item === 'number') list.push(itemAt(base, item));
    else if ('is' in item) list.push(item.is);
    else if (typeof item[1] === 'number') pushRow(list, base, item[0], item[1]);
    else list.push(applied(itemAt(base, item[0]), item[1]));
  }
  return list;
}

function pushRow(list: Json[], base: readonly Json[], first: number, last: number): void {
  if (base.length <= last) throw new RangeError(`no item ${last} in the base`);
  for (let index = first; index <= last; index += 1) list.push(base[index] as Json);
}

function itemAt(base: readonly Json[], index: number): Json {
  const item = base[index];
  if (item === undefined) throw new RangeError(`no item ${index} in the base`);
  return item;
}

/** Without undefined members, which JSON does not have. */
function namesOf(object: JsonObject): readonly string[] {
  const names = Object.keys(object);
  return names.some((name) => ownMember(object, name) === undefined)
    ? names.filter((name) => ownMember(object, name) !== undefined)
    : names;
}

function has(object: JsonObject, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}

/** Empty for a value that is not an object. */
export function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
