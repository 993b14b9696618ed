/**
 * The fields that a manager owns by applying an object: leaves, list items, and members of maps
 * with free keys. Rule: typed/tofieldset.go of structured-merge-diff.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { type FieldSet, leaf, nodeOrNothing, nothing } from './field-set.ts';
import { type FieldType, kindOf, type ListType, type MapType } from './field-type.ts';
import { objectOr } from '../apimachinery/json-value.ts';
import { itemName } from './list-key.ts';

/** Throws `UnnamedItem`. */
export function fieldsOf(type: FieldType, object: JsonObject): FieldSet {
  return below(type, object, false) ?? nothing;
}

function below(type: FieldType | undefined, value: Json, member: boolean): FieldSet | undefined {
  if (type?.ignored) return undefined;
  const kind = type && kindOf(type, value);
  if (kind === 'map' && type?.map?.isAtomic === false) return ofMap(type.map, value, member);
  if (kind === 'list' && type?.list && type.list.relation !== 'atomic') {
    return ofList(type.list, isList(value) ? value : [], member);
  }
  return leaf;
}

function ofMap(type: MapType, value: Json, member: boolean): FieldSet | undefined {
  const map = objectOr(value);
  const children: Record<string, FieldSet> = {};
  for (const name in map) {
    const field = map[name];
    if (field === undefined) continue;
    const claimed = field === null || isEmptyMap(field) || !type.declares(name);
    const fields = below(type.typeOf(name), field, claimed);
    if (fields !== undefined) children[`f:${name}`] = fields;
  }
  return nodeOrNothing(member, children);
}

function ofList(type: ListType, list: readonly Json[], member: boolean): FieldSet | undefined {
  const children: Record<string, FieldSet> = {};
  for (const item of list) {
    const name = itemName(type, item);
    // Two items with the same name are owned together, without their fields.
    children[name] = children[name] === undefined ? (below(type.item, item, true) ?? leaf) : leaf;
  }
  return nodeOrNothing(member, children);
}

function isEmptyMap(value: Json): boolean {
  return isObject(value) && Object.values(value).every((member) => member === undefined);
}
