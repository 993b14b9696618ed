/** An object on its way into the store, whose fields are still being set. */
import type { JsonObject, KubeObject, ObjectMeta } from '#shared/domain/objects.ts';
import { omitting } from '../apimachinery/json-value.ts';

/** Metadata as stored, with the fields that only the sandbox reads. */
export interface StoredMeta extends ObjectMeta {
  readonly generateName?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly managedFields?: readonly JsonObject[];
}

export interface Draft extends KubeObject {
  readonly metadata: StoredMeta;
  readonly [field: string]: unknown;
}

export function asDraft(object: KubeObject): Draft {
  return object as Draft;
}

export function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

export function fromJson(object: JsonObject): Draft {
  return object as unknown as Draft;
}

export function withMeta(object: Draft, change: Partial<StoredMeta>): Draft {
  return { ...object, metadata: { ...object.metadata, ...change } };
}

/** Without the named fields of metadata. */
export function withoutMeta(object: Draft, ...names: readonly (keyof StoredMeta)[]): Draft {
  if (names.every((name) => object.metadata[name] === undefined)) return object;
  const kept = Object.entries(object.metadata).filter(
    ([name]) => !(names as readonly string[]).includes(name),
  );
  return { ...object, metadata: Object.fromEntries(kept) as unknown as StoredMeta };
}

/** Copies the field from `from`. If `from` has none, the field is removed. */
export function withFieldOf(object: Draft, field: string, from: Draft): Draft {
  if (object[field] === from[field]) return object;
  if (from[field] !== undefined) return { ...object, [field]: from[field] };
  return omitting(object, field);
}
