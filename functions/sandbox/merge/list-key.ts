/**
 * The path element that names an item of a set or map list, as FieldsV1 writes it: `v:"x"` or
 * `k:{"name":"x"}`. Rule: typed/helpers.go and fieldpath/serialize-pe.go of structured-merge-diff.
 */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { ListType } from './field-type.ts';
import { goJson, isList, isObject } from './json-value.ts';

/** An item that its list cannot name; the message is the API server's. */
export class UnnamedItem extends Error {
  override readonly name = 'UnnamedItem';
}

/** Items are never changed in place, so the name of one stays. */
const names = new WeakMap<ListType, WeakMap<JsonObject, string>>();

/** Throws `UnnamedItem`. */
export function itemName(list: ListType, item: Json): string {
  if (list.relation === 'set') return setItemName(item);
  if (item === null) {
    throw new UnnamedItem('associative list with keys may not have a null element');
  }
  if (!isObject(item)) {
    throw new UnnamedItem('associative list with keys may not have non-map elements');
  }
  let known = names.get(list);
  if (known === undefined) names.set(list, (known = new WeakMap()));
  let name = known.get(item);
  if (name === undefined) known.set(item, (name = mapItemName(list, item)));
  return name;
}

function setItemName(item: Json): string {
  if (isObject(item)) {
    throw new UnnamedItem("associative list without keys has an element that's a map type");
  }
  if (isList(item)) {
    throw new UnnamedItem('not supported: associative list with lists as elements');
  }
  if (item === null) {
    throw new UnnamedItem("associative list without keys has an element that's an explicit null");
  }
  return `v:${goJson(item)}`;
}

function mapItemName(list: ListType, item: JsonObject): string {
  const members: string[] = [];
  for (const key of [...list.keys].sort()) {
    const value = item[key] ?? list.keyDefault(key);
    if (value !== undefined && value !== null) members.push(`${goJson(key)}:${goJson(value)}`);
    else if (item[key] === null) members.push(`${goJson(key)}:null`);
  }
  if (members.length === 0 && list.keys.length > 0) {
    const keys = `[${list.keys.map((key) => JSON.stringify(key)).join(' ')}]`;
    throw new UnnamedItem(
      `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
    );
  }
  return `k:{${members.join(',')}}`;
}
