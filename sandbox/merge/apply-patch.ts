/**
 * Server-side apply (KEP-555). Rules: apimachinery pkg/util/managedfields/internal
 * (structuredmerge.go and the managers around it) and merge/update.go of structured-merge-diff.
 */
import { isList } from '#shared/domain/json-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { badRequest, StatusError } from '../apimachinery/status-error.ts';
import type { Schema } from '../schema/schema.ts';
import { applyConflict, type FieldConflict } from './apply-conflict.ts';
import { faultsOf } from './check-applied.ts';
import { compare } from './compare.ts';
import { difference, type FieldSet, intersection, isEmpty, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { objectOr, textOr } from '../apimachinery/json-value.ts';
import { lastAppliedFields, withLastApplied } from './last-applied.ts';
import {
  entriesOf,
  identityOf,
  type Managed,
  type Owner,
  ownership,
  readManaged,
  withManaged,
} from './managed-fields.ts';
import { mergeApplied } from './merge-applied.ts';
import { objectType } from './object-meta.ts';
import { pruneApplied } from './prune-applied.ts';
import { withoutResetFields, withoutSystemFields } from './reset-fields.ts';
import { afterChange, updated } from './track-update.ts';

export interface ApplyInput {
  /** Undefined: the object does not exist yet. */
  readonly live: JsonObject | undefined;
  readonly applied: JsonObject;
  /** Schema of the whole object without `metadata`. Undefined for a kind without a schema. */
  readonly schema: Schema | undefined;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource: string;
  /** Time of this write, RFC 3339. */
  readonly time: string;
  /** False for a custom resource without the status subresource. Default true. */
  readonly hasStatus?: boolean;
}

const kubectl = 'kubectl';
const beforeFirstApply = 'before-first-apply';

/**
 * The resulting object with its managedFields, or `live` itself when nothing changes. Defaults and
 * validation are up to the caller. Throws StatusError: 400 for an object that cannot be applied
 * here, 409 with a FieldManagerConflict for each field of others that would change, 500, as the API
 * server does, for an object that its schema does not know.
 */
export function applyPatch(input: ApplyInput): JsonObject {
  const { applied, schema, manager } = input;
  checkApplied(input);
  const live = input.live ?? { apiVersion: applied['apiVersion'], kind: applied['kind'] };
  const managed = withUnmanaged(input, live, readManaged(entriesOf(live)));
  const outcome = applyTo(input, live, managed);
  if (!('conflicts' in outcome)) return finish(input, outcome);
  if (manager !== kubectl) throw applyConflict(outcome.conflicts);
  const allowed = lastAppliedFields(objectType(schema), live);
  const conflicts = outcome.conflicts
    .map(({ owner, fields }) => ({ owner, fields: difference(fields, allowed) }))
    .filter(({ fields }) => !isEmpty(fields));
  if (conflicts.length > 0) throw applyConflict(conflicts);
  return finish(input, applyTo({ ...input, force: true }, live, managed) as Applied);
}

interface Applied {
  readonly object: JsonObject;
  readonly managed: Managed;
}

function finish({ applied, manager }: ApplyInput, { object, managed }: Applied): JsonObject {
  const noted = manager === kubectl ? withLastApplied(object, applied) : object;
  return withManaged(noted, managed);
}

function applyTo(
  input: ApplyInput,
  live: JsonObject,
  managed: Managed,
): Applied | { readonly conflicts: readonly FieldConflict[] } {
  const { applied, schema, subresource, force, hasStatus = true } = input;
  const type = objectType(schema);
  const applier = applierOf(input);
  const id = identityOf(applier);
  const last = managed.get(id);
  const filtered = (set: FieldSet): FieldSet =>
    withoutResetFields(set, applied, subresource, hasStatus);
  const mine = filtered(fieldsOf(type, applied));
  const others = new Map([...managed].filter(([other]) => other !== id));

  const merged = objectOr(mergeApplied(type, live, applied));
  const object =
    last === undefined ? merged : pruneApplied(type, merged, last.fieldsV1, allOwned(others, mine));
  const delta = compare(type, live, object);
  const change = { changed: filtered(delta.changed), removed: filtered(delta.removed) };

  const conflicts = [...others.values()]
    .map((owner) => ({ owner, fields: intersection(owner.fieldsV1, change.changed) }))
    .filter(({ fields }) => !isEmpty(fields));
  if (conflicts.length > 0 && !force) return { conflicts };

  const isSame = jsonEqual(live, object);
  const fields = withoutSystemFields(mine);
  const rest = afterChange(others, change);
  if (isEmpty(fields)) return { object, managed: rest };
  const entry = ownership(applier, fields, isSame ? last?.time : input.time);
  const kept = last !== undefined && jsonEqual(last, entry) ? last : entry;
  return { object: isSame ? live : object, managed: new Map([...rest, [id, kept]]) };
}

function allOwned(others: Managed, mine: FieldSet): FieldSet {
  return [...others.values()].reduce((all, { fieldsV1 }) => union(all, fieldsV1), mine);
}

/** Fields from before any tracking have an owner of their own. */
function withUnmanaged(input: ApplyInput, live: JsonObject, managed: Managed): Managed {
  if (managed.size > 0 || input.live === undefined) return managed;
  return updated({ ...input, before: undefined, after: live, manager: beforeFirstApply }, managed);
}

function applierOf({ applied, manager, subresource }: ApplyInput): Owner {
  return { manager, operation: 'Apply', apiVersion: textOr(applied['apiVersion']), subresource };
}

function checkApplied({ live, applied, schema }: ApplyInput): void {
  const metadata = objectOr(applied['metadata']);
  if (isList(metadata['managedFields'])) throw badRequest('metadata.managedFields must be nil');
  if (live && (live['apiVersion'] !== applied['apiVersion'] || live['kind'] !== applied['kind'])) {
    throw badRequest(`invalid object type: ${versionKind(applied)}`);
  }
  const faults = faultsOf(objectType(schema), applied);
  if (faults === undefined) return;
  const { namespace = '', name = '' } = metadata;
  const what = `${textOr(namespace)}/${textOr(name)}; ${versionKind(applied)}`;
  throw new StatusError(500, '', `failed to create typed patch object (${what}): ${faults}`);
}

/** `batch/v1, Kind=Job`. For the core group `/v1, Kind=Pod`. */
function versionKind({ apiVersion, kind }: JsonObject): string {
  const version = textOr(apiVersion);
  return `${version.includes('/') ? version : `/${version}`}, Kind=${textOr(kind)}`;
}
