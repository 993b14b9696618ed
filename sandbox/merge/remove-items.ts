/**
 * The value without the fields and list items of a set. A container that becomes empty is removed
 * too. Rule: typed/remove.go of structured-merge-diff.
 */
import { isList } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { type FieldSet, isEmpty, isMember, leaf, node } from './field-set.ts';
import { type FieldType, kindOf, type ListType, type MapType } from './field-type.ts';
import { objectOr } from '../apimachinery/json-value.ts';
import { itemName } from './list-key.ts';

/** Null when nothing is left. Throws `UnnamedItem`. */
export function removeItems(type: FieldType | undefined, value: Json, set: FieldSet): Json {
  if (type === undefined || isEmpty(set)) return value;
  const kind = kindOf(type, value);
  if (kind === 'map' && type.map) return fromMap(type.map, value, set);
  if (kind === 'list' && type.list) return fromList(type.list, value, set);
  return value;
}

function fromMap(type: MapType, value: Json, set: FieldSet): Json {
  const map = objectOr(value);
  if (type.isAtomic) return null;
  let rest: Record<string, Json | undefined> | undefined;
  for (const element in set) {
    const name = element.slice(2);
    const field = map[name];
    if (!element.startsWith('f:') || field === undefined) continue;
    const below = set[element] ?? leaf;
    if (isMember(below)) Reflect.deleteProperty((rest ??= { ...map }), name);
    else (rest ??= { ...map })[name] = removeItems(type.typeOf(name), field, below);
  }
  const left = rest ?? map;
  return Object.keys(left).length === 0 ? null : left;
}

function fromList(type: ListType, value: Json, set: FieldSet): Json {
  if (!isList(value) || value.length === 0 || type.relation === 'atomic') return null;
  const rest: Json[] = [];
  for (const item of value) {
    const below = set[itemName(type, item)];
    if (below === undefined) rest.push(item);
    else if (!isMember(below)) rest.push(removeItems(type.item, item, below));
  }
  return rest.length === 0 ? null : rest;
}

/**
 * Adds the declared fields that lead to a member. So a manager that owns all leaves of a struct
 * removes the struct. Rule: EnsureNamedFieldsAreMembers in fieldpath/set.go.
 */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  const children: Record<string, FieldSet> = {};
  for (const element in set) {
    if (element === '.') continue;
    const child = set[element] ?? leaf;
    const isField = element.startsWith('f:');
    const name = element.slice(2);
    const typeBelow = isField
      ? type?.map?.typeOf(name)
      : element.startsWith('k:')
        ? type?.list?.item
        : undefined;
    const named = isMember(child) || (isField && type?.map?.declares(name) === true);
    children[element] = node(named, withNamedFields(child, typeBelow));
  }
  return children;
}
