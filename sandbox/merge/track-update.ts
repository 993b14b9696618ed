/**
 * Computes the field owners after a create, an update, or a patch that is not an apply. Rules:
 * apimachinery pkg/util/managedfields/internal (fieldmanager.go, skipnonapplied.go,
 * managedfieldsupdater.go) and merge/update.go of structured-merge-diff.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { Schema } from '../schema/schema.ts';
import { type Change, compare } from './compare.ts';
import { emptyObject } from './empty-object.ts';
import { difference, type FieldSet, isEmpty, union } from './field-set.ts';
import { InvalidFields } from './fields-v1.ts';
import { textOr } from '../apimachinery/json-value.ts';
import { UnnamedItem } from './list-key.ts';
import {
  capped,
  entriesOf,
  identityOf,
  InvalidManagedFields,
  type Managed,
  owning,
  type Owner,
  type Ownership,
  ownership,
  readManaged,
  withFields,
  withManaged,
} from './managed-fields.ts';
import { objectType } from './object-meta.ts';
import { withoutResetFields, withoutSystemFields } from './reset-fields.ts';

export interface UpdateInput {
  /** Undefined: `after` is created. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  /** Schema of the whole object without `metadata`. Undefined for a kind without a schema. */
  readonly schema: Schema | undefined;
  /** Empty: `unknown`. */
  readonly manager: string;
  readonly subresource: string;
  /** Time of this write, RFC 3339. */
  readonly time: string;
  /** False for a custom resource without the status subresource. Default true. */
  readonly hasStatus?: boolean;
}

/**
 * `after` with its managedFields. The writer takes the fields that it changed from all others and
 * keeps its earlier ones. A write that changes nothing changes no entry and no time. An untracked
 * object stays untracked. `after` may bring other managedFields, or `[]` to start again.
 */
export function trackUpdate(input: UpdateInput): JsonObject {
  const { before, after, subresource } = input;
  const managed = subresource === '' ? sentOrLive(before, after) : readOrNone(entriesOf(before));
  if (managed.size === 0 && before !== undefined) return withManaged(after, managed);
  try {
    return withManaged(after, capped(updated(input, managed)));
  } catch (error) {
    // Like the API server, drops entries that it cannot parse, rather than refusing the write.
    if (error instanceof UnnamedItem) return withManaged(after, new Map());
    throw error;
  }
}

/** `managed` after the write of `after`, with the writer's entry. Throws `UnnamedItem`. */
export function updated(input: UpdateInput, managed: Managed): Managed {
  const { after, schema, subresource, hasStatus = true } = input;
  const before = input.before ?? emptyObject(after, schema);
  const all = compare(objectType(schema), before, after);
  const change: Change = {
    changed: withoutResetFields(all.changed, after, subresource, hasStatus),
    removed: withoutResetFields(all.removed, after, subresource, hasStatus),
  };
  const rest = afterChange(managed, change);
  const mine = withoutSystemFields(change.changed);
  return isEmpty(mine) ? rest : claimed(rest, writerOf(input), mine, input.time);
}

/** All other managers without changed and removed fields. A manager without fields is dropped. */
export function afterChange(managed: Managed, { changed, removed }: Change): Managed {
  if (isEmpty(changed) && isEmpty(removed)) return managed;
  const rest = new Map<string, Ownership>();
  for (const [id, entry] of managed) {
    rest.set(id, withFields(entry, difference(difference(entry.fieldsV1, changed), removed)));
  }
  return owning(rest);
}

function claimed(managed: Managed, writer: Owner, fields: FieldSet, time: string): Managed {
  const id = identityOf(writer);
  const had = managed.get(id);
  const all = had ? union(had.fieldsV1, fields) : fields;
  return new Map([...managed, [id, ownership(writer, all, time)]]);
}

function writerOf({ after, manager, subresource }: UpdateInput): Owner {
  return {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion: textOr(after['apiVersion']),
    subresource,
  };
}

function sentOrLive(before: JsonObject | undefined, after: JsonObject): Managed {
  const sent = entriesOf(after);
  if (isReset(sent)) return new Map();
  const managed = readOrNone(sent);
  return managed.size > 0 ? managed : readOrNone(entriesOf(before));
}

function isReset(entries: Json | undefined): boolean {
  if (!isList(entries) || entries.length > 1) return false;
  return entries.every((entry) => isObject(entry) && Object.keys(entry).length === 0);
}

function readOrNone(entries: Json | undefined): Managed {
  try {
    return readManaged(entries);
  } catch (error) {
    if (error instanceof InvalidManagedFields || error instanceof InvalidFields) return new Map();
    throw error;
  }
}
