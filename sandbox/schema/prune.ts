/** Removes fields that a structural schema does not declare (apiextensions-apiserver schema/pruning). */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { omitting } from '../apimachinery/json-value.ts';
import { child, index } from './field-path.ts';
import { propertyOf, valuesOf } from './member-schema.ts';
import type { Schema } from './schema.ts';

export interface Pruned {
  /** The same reference when nothing was removed. */
  readonly object: JsonObject;
  /** Removed fields, sorted, as `spec.items[0].bar`. */
  readonly dropped: readonly string[];
}

const typeAndObjectMeta = new Set(['apiVersion', 'kind', 'metadata']);

/** `object`: a whole resource. Its apiVersion, kind and metadata stay, whatever the schema says. */
export function prune(object: JsonObject, schema: Schema): Pruned {
  const dropped: string[] = [];
  const root: Schema = { ...schema, 'x-kubernetes-embedded-resource': true };
  const pruned = pruneValue(object, root, '', dropped) as JsonObject;
  return { object: pruned, dropped: dropped.sort() };
}

/** `preserves`: an enclosing list preserves unknown fields. */
function pruneValue(
  value: Json,
  schema: Schema | undefined,
  path: string,
  dropped: string[],
  preserves = false,
): Json {
  const keeps = preserves || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (isList(value)) return pruneList(value, schema, path, dropped, keeps);
  if (isObject(value)) return pruneObject(value, schema, path, dropped, keeps);
  return value;
}

function pruneList(
  list: readonly Json[],
  schema: Schema | undefined,
  path: string,
  dropped: string[],
  keeps: boolean,
): Json {
  const items = schema?.items;
  // A value that is kept without a schema is kept with everything in it.
  if (keeps && items === undefined) return list;
  let copy: Json[] | undefined;
  for (const [position, item] of list.entries()) {
    const pruned = pruneValue(item, items, index(path, position), dropped, keeps);
    if (pruned !== item) (copy ??= [...list])[position] = pruned;
  }
  return copy ?? list;
}

function pruneObject(
  object: JsonObject,
  schema: Schema | undefined,
  path: string,
  dropped: string[],
  keeps: boolean,
): Json {
  let draft: JsonObject = object;
  const keepsMeta = schema?.['x-kubernetes-embedded-resource'] === true;
  for (const name in object) {
    const value = object[name];
    if (value === undefined || (keepsMeta && typeAndObjectMeta.has(name))) continue;
    const property = schema === undefined ? undefined : propertyOf(schema, name);
    if (schema === undefined || (!property && schema.additionalProperties === undefined)) {
      if (keeps) continue;
      dropped.push(child(path, name));
      draft = omitting(draft, name);
      continue;
    }
    const pruned = pruneValue(value, property ?? valuesOf(schema), child(path, name), dropped);
    if (pruned !== value) draft = { ...draft, [name]: pruned };
  }
  return draft;
}
