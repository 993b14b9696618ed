/**
 * The path element of an item in a set or map list, as FieldsV1 writes it: `v:"x"` or
 * `k:{"name":"x"}`. Rule: typed/helpers.go and fieldpath/serialize-pe.go of structured-merge-diff.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { ListType } from './field-type.ts';
import { goJson } from '../apimachinery/go-text.ts';

/** An item without a valid name in its list. The message is the API server's. */
export class UnnamedItem extends Error {
  override readonly name = 'UnnamedItem';
}

/** Throws `UnnamedItem`. */
export function itemName(list: ListType, item: Json): string {
  if (list.relation === 'set') return setItemName(item);
  if (item === null) {
    throw new UnnamedItem('associative list with keys may not have a null element');
  }
  if (!isObject(item)) {
    throw new UnnamedItem('associative list with keys may not have non-map elements');
  }
  return mapItemName(list, item);
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
  return `v:${quoted(item)}`;
}

function mapItemName(list: ListType, item: JsonObject): string {
  let members = '';
  for (const key of list.keys) {
    const own = item[key];
    const value = own === undefined ? list.keyDefault(key) : own;
    if (value === undefined) continue;
    members += `${members === '' ? '' : ','}${quoted(key)}:${quoted(value)}`;
  }
  if (members === '' && list.keys.length > 0) {
    const keys = `[${list.keys.map((key) => JSON.stringify(key)).join(' ')}]`;
    throw new UnnamedItem(
      `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
    );
  }
  return `k:{${members}}`;
}

const plain = /^[\w./-]*$/;

/** A comparison spends most of its time here, and most keys are plain words. */
function quoted(value: Json): string {
  return typeof value === 'string' && plain.test(value) ? `"${value}"` : goJson(value);
}
