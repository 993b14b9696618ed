/**
 * Strategic merge patch, which kubectl sends for built-in kinds. Lists are merged by key or as a
 * set, as their schema says. Directives in the patch express all else. Rule: apimachinery
 * pkg/util/strategicpatch/patch.go (mergeMap and below).
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { omitting } from '../apimachinery/json-value.ts';
import { memberSchema } from '../schema/member-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { goType } from '../apimachinery/go-text.ts';
import { wholeSchema } from './object-meta.ts';
import { deleteItems, type ListRule, mergeLists, orderedBy } from './strategic-list.ts';
import { badDirective, badPatch, cannotMerge } from './strategic-error.ts';

const directive = '$patch';
const retainKeys = '$retainKeys';
const orderPrefix = '$setElementOrder';
const deletePrefix = '$deleteFromPrimitiveList';

type Members = Map<string, Json>;

/**
 * The document after the patch. `doc` is unchanged and shares its untouched parts with the result.
 * Maps and lists without a schema are treated as in a JSON merge patch. Throws StatusError: 400 for
 * a malformed directive, 422 for lists of lists, and otherwise 500, as the API server does.
 */
export function strategicMerge(
  doc: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
): JsonObject {
  return mergeMaps(doc, patch, wholeSchema(schema));
}

function mergeMaps(
  original: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
): JsonObject {
  const whole = patch[directive];
  if (whole !== undefined) {
    if (whole === 'replace') return omitting(patch, directive);
    if (whole === 'delete') return {};
    throw badDirective(whole, patch);
  }
  const merged: Members = new Map();
  for (const [key, value] of Object.entries(original)) {
    if (value !== undefined) merged.set(key, value);
  }
  const rest = new Map(Object.entries(patch));
  retain(merged, rest);
  order(merged, rest, schema);
  for (const [key, value] of rest) if (value !== undefined) mergeMember(merged, key, value, schema);
  return Object.fromEntries(merged);
}

/** `$retainKeys`: drops all members that it does not name. */
function retain(merged: Members, patch: Map<string, Json | undefined>): void {
  const keys = patch.get(retainKeys);
  if (keys === undefined) return;
  patch.delete(retainKeys);
  if (!isList(keys)) throw badPatch('retainKeys');
  for (const [key, value] of patch) {
    const isDirective = key.startsWith(deletePrefix) || key.startsWith(orderPrefix);
    if (value !== null && value !== undefined && !isDirective && !keys.includes(key)) {
      throw badPatch('retainKeys');
    }
  }
  for (const key of [...merged.keys()]) if (!keys.includes(key)) merged.delete(key);
}

/** `$setElementOrder/x`: merges x and sorts it in this order. The other items stay between. */
function order(merged: Members, patch: Map<string, Json | undefined>, schema?: Schema): void {
  for (const [key, wanted] of [...patch]) {
    if (!key.startsWith(orderPrefix)) continue;
    patch.delete(key);
    if (!isList(wanted)) throw cannotMerge(listExpected(wanted));
    const name = listNamed(key, orderPrefix);
    if (name === undefined) throw badPatch('setElementOrder list');
    const live = merged.get(name);
    const patched = patch.get(name);
    if (live !== undefined && !isList(live)) throw cannotMerge(listExpected(live));
    if (patched !== undefined && !isList(patched)) throw cannotMerge(listExpected(patched));
    const items = schema && memberSchema(schema, name);
    const list = orderedBy(wanted, live, patched, ruleOf(items), mergeItem(items), cleanList);
    if (list === undefined) continue;
    merged.set(name, list);
    patch.delete(name);
  }
}

/** The field of a directive: `finalizers` for `$setElementOrder/finalizers`. */
function listNamed(key: string, prefix: string): string | undefined {
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : undefined;
}

function mergeMember(merged: Members, key: string, value: Json, schema?: Schema): void {
  if (key.startsWith(deletePrefix)) {
    const name = listNamed(key, deletePrefix);
    if (name === undefined) throw badPatch('primitive list');
    const live = merged.get(name);
    if (value === null) merged.delete(name);
    else if (isList(live) && isList(value)) merged.set(name, deleteItems(live, value));
    return;
  }
  if (value === null) {
    merged.delete(key);
    return;
  }
  const live = merged.get(key);
  const below = schema && memberSchema(schema, key);
  if (isObject(live) && isObject(value)) {
    const replaces = strategiesOf(below).includes('replace');
    merged.set(key, replaces ? value : mergeMaps(live, value, below));
  } else if (isList(live) && isList(value)) {
    const rule = ruleOf(below);
    merged.set(key, rule ? mergeLists(live, value, rule, mergeItem(below)) : value);
  } else {
    const plain = cleanNew(value);
    if (plain === undefined) merged.delete(key);
    else merged.set(key, plain);
  }
}

/** A value that is new in the document, without its nulls and directives. */
function cleanNew(value: Json): Json | undefined {
  if (isList(value)) return cleanList(value);
  if (!isObject(value)) return value;
  if (value[directive] !== undefined) return undefined;
  const members = Object.entries(value).flatMap(([key, member]) => {
    const plain = member === null || member === undefined ? undefined : cleanNew(member);
    return plain === undefined ? [] : [[key, plain] as const];
  });
  return Object.fromEntries(members);
}

function cleanList(list: readonly Json[]): readonly Json[] {
  return list.map(cleanNew).filter((item) => item !== undefined);
}

function mergeItem(list: Schema | undefined): (live: JsonObject, patch: JsonObject) => JsonObject {
  return (live, patch) => mergeMaps(live, patch, list?.items);
}

/** Undefined: the list is replaced as a whole. */
function ruleOf(list: Schema | undefined): ListRule | undefined {
  return list && strategiesOf(list).includes('merge')
    ? { key: list['x-kubernetes-patch-merge-key'] }
    : undefined;
}

function strategiesOf(schema: Schema | undefined): readonly string[] {
  return schema?.['x-kubernetes-patch-strategy']?.split(',') ?? [];
}

function listExpected(value: Json | undefined): string {
  return `expected a []interface {}, but received a ${goType(value)}`;
}
