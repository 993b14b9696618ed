/**
 * A value of an update with its old value (apiserver cel/common CorrelatedObject, KEP-4008).
 * Declared fields and map keys are matched by name, items of list-maps by key. No others are
 * matched.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { memberSchema } from './member-schema.ts';
import { keyedItems, listMapKey } from './list-map.ts';
import type { Schema } from './schema.ts';

export class Correlation {
  readonly value: Json | undefined;
  readonly old: Json | undefined;
  readonly schema: Schema;
  #oldItems: ReadonlyMap<string, Json> | undefined;
  #same: boolean | undefined;

  constructor(value: Json | undefined, old: Json | undefined, schema: Schema) {
    this.value = value;
    this.old = old;
    this.schema = schema;
  }

  member(name: string): Correlation | undefined {
    const { value, old } = this;
    if (!isObject(value) || !isObject(old)) return undefined;
    if (value[name] === undefined || old[name] === undefined) return undefined;
    const schema = memberSchema(this.schema, name);
    return schema && new Correlation(value[name], old[name], schema);
  }

  item(position: number): Correlation | undefined {
    const { value, old, schema } = this;
    const keys = schema['x-kubernetes-list-map-keys'];
    if (!isList(value) || !isList(old) || schema.items === undefined) return undefined;
    if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined) return undefined;
    const item = value[position];
    this.#oldItems ??= keyedItems(old, keys);
    const before = keyedItem(this.#oldItems, item, keys);
    return before === undefined ? undefined : new Correlation(item, before, schema.items);
  }

  /** Whether nothing changed, with list-maps in any order. False below values without a schema. */
  get same(): boolean {
    return (this.#same ??= this.value === this.old || this.#compare());
  }

  #compare(): boolean {
    const { value, old } = this;
    if (isList(value)) return isList(old) && this.#sameItems(value, old);
    if (!isObject(value)) return jsonEqual(value, old);
    if (!isObject(old)) return false;
    const names = Object.keys(value);
    if (names.length !== Object.keys(old).length) return false;
    return names.every((name) => this.member(name)?.same ?? false);
  }

  #sameItems(value: readonly Json[], old: readonly Json[]): boolean {
    if (value.length !== old.length) return false;
    if (this.schema['x-kubernetes-list-type'] !== 'map') return jsonEqual(value, old);
    return value.every((_item, position) => this.item(position)?.same ?? false);
  }
}

function keyedItem(
  items: ReadonlyMap<string, Json>,
  item: Json | undefined,
  keys: readonly string[],
): Json | undefined {
  const key = isObject(item) ? listMapKey(item, keys) : undefined;
  return key === undefined ? undefined : items.get(key);
}
