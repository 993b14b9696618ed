/** A body as JSON would have brought it: without undefined members, for Go types without nulls. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { Schema } from '../schema/schema.ts';

/** What a null means in a body. */
type Nulls = 'kept' | { readonly schema: Schema };

const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } };
const metadata: Schema = { properties: { labels: texts, annotations: texts } };

/**
 * The schema of a custom resource may allow null. Of a built-in kind it is an absent field to Go's
 * decoder, but in a map of texts an empty text.
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

/** With the part of metadata that is read here, which schemas leave out. */
const wholes = new WeakMap<Schema, Schema>();

/** The same reference when there is nothing to change. What is frozen comes from the store and is clean. */
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
