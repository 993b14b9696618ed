/** Duplicates in sets and list-maps (apiextensions-apiserver schema/listtype). */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { StatusCause } from '../apimachinery/status-error.ts';
import { duplicate, invalid } from '../apimachinery/cause.ts';
import { child, index, key } from './field-path.ts';
import { goJson } from '../apimachinery/go-text.ts';
import { propertyOf, valuesOf } from './member-schema.ts';
import type { Schema } from './schema.ts';

/** Finds duplicates. Undefined when the schema has neither sets nor list-maps. */
export type DuplicateSearch = (value: Json, path: string, causes: StatusCause[]) => void;

export function duplicateSearch(schema: Schema): DuplicateSearch | undefined {
  const items = schema.items && duplicateSearch(schema.items);
  const ofList = listSearch(schema);
  const values = valuesOf(schema);
  const ofValues = values && duplicateSearch(values);
  const ofFields = fieldSearches(schema);
  if (!items && !ofList && !ofValues && ofFields.length === 0) return undefined;
  return (value, path, causes) => {
    if (isList(value)) {
      ofList?.(value, path, causes);
      if (items) value.forEach((item, at) => items(item, index(path, at), causes));
    } else if (isObject(value)) {
      if (ofValues) eachMember(value, (name, item) => ofValues(item, key(path, name), causes));
      for (const [name, search] of ofFields) {
        const item = value[name];
        if (item !== undefined) search(item, child(path, name), causes);
      }
    }
  };
}

function fieldSearches(schema: Schema): readonly (readonly [string, DuplicateSearch])[] {
  const found: [string, DuplicateSearch][] = [];
  for (const name in schema.properties) {
    const property = propertyOf(schema, name);
    const search = property && duplicateSearch(property);
    if (search) found.push([name, search]);
  }
  return found;
}

function eachMember(object: JsonObject, visit: (name: string, value: Json) => void): void {
  for (const name in object) {
    const value = object[name];
    if (value !== undefined) visit(name, value);
  }
}

type ListSearch = (list: readonly Json[], path: string, causes: StatusCause[]) => void;

function listSearch(schema: Schema): ListSearch | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return (list, path, causes) => {
        for (const at of repeated(list)) causes.push(duplicate(index(path, at), list[at]));
      };
    case 'map':
      return (list, path, causes) => searchListMap(list, keys, path, causes);
    default:
      return undefined;
  }
}

function searchListMap(
  list: readonly Json[],
  keys: readonly string[],
  path: string,
  causes: StatusCause[],
): void {
  const stray = list.findIndex((item) => item !== null && !isObject(item));
  if (stray !== -1) {
    const why = 'must be an object for an array of list-type map';
    causes.push(invalid(index(path, stray), list[stray], why));
    return;
  }
  const keyOf = (item: Json): JsonObject =>
    Object.fromEntries(
      keys.flatMap((name) =>
        isObject(item) && item[name] !== undefined ? [[name, item[name]]] : [],
      ),
    );
  const keyed = list.map(keyOf);
  for (const at of repeated(keyed)) causes.push(duplicate(index(path, at), keyed[at]));
}

/** The second occurrence of each duplicate value. */
function repeated(list: readonly Json[]): readonly number[] {
  if (list.length < 2) return [];
  const seen = new Map<unknown, number>();
  const again: number[] = [];
  for (const [at, item] of list.entries()) {
    const identity = typeof item === 'object' && item !== null ? `\0${goJson(item)}` : item;
    const times = seen.get(identity) ?? 0;
    seen.set(identity, times + 1);
    if (times === 1) again.push(at);
  }
  return again;
}
