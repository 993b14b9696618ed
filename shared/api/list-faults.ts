/** `x-millrace-unique`: no two items of a list are equal, or equal in the members that it names. */
import { isObject } from '#shared/domain/json-value.ts';
import { stableJson } from '#shared/domain/hash.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { found, memberPath, type Fault } from './fault.ts';
import { schemaOf } from './nulls.ts';
import { asObject } from './structural-schema.ts';

/** Every duplicate, reported at the later item. */
export function listFaults(schema: JsonObject, value: Json, path = ''): readonly Fault[] {
  const faults: Fault[] = [];
  collect(schema, value, path, faults);
  return faults;
}

function collect(schema: JsonObject, value: Json, path: string, faults: Fault[]): void {
  if (Array.isArray(value)) {
    collectDuplicates(schema, value, path, faults);
    const items = asObject(schema['items'] ?? {});
    for (const [index, item] of (value as readonly Json[]).entries()) {
      if (holdsMore(item)) collect(items, item, memberPath(path, index), faults);
    }
  } else if (holdsMore(value)) {
    for (const [key, member] of Object.entries(value as JsonObject)) {
      if (!holdsMore(member)) continue;
      const declared = schemaOf(schema, key);
      if (declared !== undefined) collect(declared, member, memberPath(path, key), faults);
    }
  }
}

function holdsMore(value: Json | undefined): value is JsonObject | readonly Json[] {
  return typeof value === 'object' && value !== null;
}

function collectDuplicates(
  schema: JsonObject,
  list: readonly Json[],
  path: string,
  faults: Fault[],
): void {
  const keys = schema['x-millrace-unique'] as readonly string[] | undefined;
  if (keys === undefined || list.length < 2 || (keys.length === 0 && areDifferentTexts(list)))
    return;
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const identity = keys.length === 0 ? item : pick(item, keys);
    // An item without a key is left to the schema, and is redacted in records.
    if (identity === undefined) continue;
    const text = typeof identity === 'string' ? `"${identity}` : stableJson(identity);
    if (seen.has(text))
      faults.push({ path: memberPath(path, index), message: `duplicate: ${found(identity)}` });
    seen.add(text);
  }
}

/** Almost every list is like this, and checking it is cheaper than finding duplicates. */
function areDifferentTexts(list: readonly Json[]): boolean {
  return list.every((item) => typeof item === 'string') && new Set(list).size === list.length;
}

/** Undefined if one of the members is not a text. */
function pick(item: Json, keys: readonly string[]): Json | undefined {
  if (!isObject(item)) return undefined;
  const picked = keys.map((key) => [key, ownMember(item, key)] as const);
  return picked.every(([, value]) => typeof value === 'string')
    ? Object.fromEntries(picked)
    : undefined;
}
