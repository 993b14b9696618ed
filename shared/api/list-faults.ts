/** `x-kubernetes-list-type`: no two items of a set are equal, no two items of a map share their key. */
import { stableJson } from '#shared/domain/hash.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { found, memberPath, type Fault } from './fault.ts';
import { schemaOf } from './nulls.ts';
import { asObject } from './structural-schema.ts';

/** Every duplicate, at the place of the later item. */
export function* listFaults(schema: JsonObject, value: Json, path = ''): Generator<Fault> {
  if (Array.isArray(value)) {
    yield* duplicates(schema, value, path);
    const items = asObject(schema['items'] ?? {});
    for (const [index, item] of (value as readonly Json[]).entries()) {
      yield* listFaults(items, item, memberPath(path, index));
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value as JsonObject)) {
      const declared = schemaOf(schema, key);
      if (declared === undefined || member === undefined) continue;
      yield* listFaults(declared, member, memberPath(path, key));
    }
  }
}

function* duplicates(schema: JsonObject, list: readonly Json[], path: string): Generator<Fault> {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return;
  const keys = schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const identity = keys === undefined ? item : pick(item, keys);
    const text = stableJson(identity);
    if (seen.has(text))
      yield { path: memberPath(path, index), message: `duplicate: ${found(identity)}` };
    seen.add(text);
  }
}

function pick(item: Json, keys: readonly string[]): Json {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  return Object.fromEntries(keys.map((key) => [key, (item as JsonObject)[key] ?? null]));
}
