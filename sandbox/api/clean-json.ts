/** Makes a body as JSON would have delivered it: no undefined members, and no nulls for Go types. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { Schema } from '../schema/schema.ts';

/** The meaning of a null in a body. */
type Nulls = 'kept' | { readonly schema: Schema };

const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } };
const metadata: Schema = { properties: { labels: texts, annotations: texts } };

/**
 * The schema of a custom resource may allow null. For a built-in kind, Go's decoder reads null as an absent field, and
 * in a map of texts as an empty text.
 */
export function nullsOf({ isBuiltIn, schema }: Pick<ResourceType, 'isBuiltIn' | 'schema'>): Nulls {
  if (!isBuiltIn) return 'kept';
  const known = schema ?? noSchema;
  let whole = wholes.get(known);
  if (whole === undefined) {
    whole = { properties: { ...known.properties, metadata } };
    wholes.set(known, whole);
  }
  return { schema: whole };
}

const noSchema: Schema = {};

/** Schemas with the part of metadata that is read here. The schemas themselves leave it out. */
const wholes = new WeakMap<Schema, Schema>();

/** Returns the same reference when nothing changes. Frozen parts come from the store and are clean. */
export function cleanObject(object: JsonObject, nulls: Nulls): JsonObject {
  if (nulls === 'kept') return cleanMembers(object, false, undefined);
  return cleanMembers(object, true, nulls.schema);
}

function cleanValue(value: Json, withoutNulls: boolean, schema: Schema | undefined): Json {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  return Array.isArray(value)
    ? cleanItems(value as readonly Json[], withoutNulls, schema?.items)
    : cleanMembers(value as JsonObject, withoutNulls, schema);
}

function cleanItems(
  items: readonly Json[],
  withoutNulls: boolean,
  schema: Schema | undefined,
): readonly Json[] {
  let copy: Json[] | undefined;
  for (let place = 0; place < items.length; place += 1) {
    const item = items[place] ?? null;
    const cleaned = cleanValue(item, withoutNulls, schema);
    if (cleaned !== items[place]) (copy ??= [...items])[place] = cleaned;
  }
  return copy ?? items;
}

function cleanMembers(
  object: JsonObject,
  withoutNulls: boolean,
  schema: Schema | undefined,
): JsonObject {
  const { properties, additionalProperties } = schema ?? {};
  const entries = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  let copy: Record<string, Json | undefined> | undefined;
  for (const key in object) {
    const value = object[key];
    if (value === null && withoutNulls && entries?.type === 'string') {
      (copy ??= { ...object })[key] = '';
      continue;
    }
    if (value === undefined || (withoutNulls && value === null)) {
      copy ??= { ...object };
      // oxlint-disable-next-line typescript/no-dynamic-delete -- of an own copy, rarely
      delete copy[key];
      continue;
    }
    const cleaned = cleanValue(value, withoutNulls, properties?.[key] ?? entries);
    if (cleaned !== value) (copy ??= { ...object })[key] = cleaned;
  }
  return copy ?? object;
}
