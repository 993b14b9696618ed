/**
 * metadata.managedFields: the owners of an object's fields (KEP-555). Rules: apimachinery
 * pkg/util/managedfields/internal/managedfields.go and capmanagers.go.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import { type FieldSet, isEmpty, union } from './field-set.ts';
import { parseFields } from './fields-v1.ts';
import { objectOr, textOr } from '../apimachinery/json-value.ts';

export type Operation = 'Apply' | 'Update';

/** metav1.ManagedFieldsEntry as it stands in an object; never changed in place. */
export interface Ownership {
  readonly manager?: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
  readonly subresource?: string;
}

export interface Owner {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  /** Empty: the object itself. */
  readonly subresource: string;
}

/** By identity, in the order of the entries. */
export type Managed = ReadonlyMap<string, Ownership>;

export class InvalidManagedFields extends Error {
  override readonly name = 'InvalidManagedFields';
}

/** Entries in our own form, which need no further parsing. */
const known = new WeakSet<Ownership>();

/** A manager that applies is the same in every version. */
export function identityOf(owner: Partial<Owner> & Pick<Owner, 'operation'>): string {
  const { manager = '', operation, apiVersion = '', subresource = '' } = owner;
  const version = operation === 'Apply' ? '' : apiVersion;
  return `${manager}\n${operation}\n${version}\n${subresource}`;
}

export function ownership(
  { manager, operation, apiVersion, subresource }: Owner,
  fieldsV1: FieldSet,
  time: string | undefined,
): Ownership {
  return ours({
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === '' ? {} : { subresource }),
  });
}

/** The same owner with other fields. Returns the same entry if the fields are the same. */
export function withFields(entry: Ownership, fieldsV1: FieldSet): Ownership {
  return fieldsV1 === entry.fieldsV1 ? entry : ours({ ...entry, fieldsV1 });
}

function ours(entry: Ownership): Ownership {
  known.add(entry);
  return entry;
}

export function entriesOf(object: JsonObject | undefined): Json | undefined {
  return objectOr(object?.['metadata'])['managedFields'];
}

/** Throws `InvalidManagedFields`, `InvalidFields`. */
export function readManaged(entries: Json | undefined): Managed {
  const managed = new Map<string, Ownership>();
  if (!isList(entries)) return managed;
  entries.forEach((entry, index) => {
    const read = isKnown(entry) ? entry : parseEntry(objectOr(entry), index);
    managed.set(identityOf(read), read);
  });
  return managed;
}

function isKnown(entry: unknown): entry is Ownership {
  return typeof entry === 'object' && entry !== null && known.has(entry as Ownership);
}

function parseEntry(entry: JsonObject, index: number): Ownership {
  const { operation, apiVersion, fieldsType, fieldsV1, time } = entry;
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new InvalidManagedFields('operation must be `Apply` or `Update`');
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    throw new InvalidManagedFields('apiVersion must not be empty');
  }
  if (fieldsType !== 'FieldsV1') {
    const type = textOr(fieldsType);
    const what = type === '' ? 'missing fieldsType' : `invalid fieldsType ${JSON.stringify(type)}`;
    throw new InvalidManagedFields(`${what} in managed fields entry ${index}`);
  }
  const [manager, subresource] = [textOr(entry['manager']), textOr(entry['subresource'])];
  const fields = parseFields(isObject(fieldsV1) ? fieldsV1 : {});
  const writtenAt = typeof time === 'string' ? time : undefined;
  return ownership({ manager, operation, apiVersion, subresource }, fields, writtenAt);
}

/** The object with exactly these managed fields. Returns the same object if it has them already. */
export function withManaged(object: JsonObject, managed: Managed): JsonObject {
  const entries = [...managed.values()].sort(byOperationAndTime);
  const had: Json | undefined = entriesOf(object);
  if (entries.length === 0 && had === undefined) return object;
  if (isList(had) && hasAll(had, entries)) return object;
  const metadata: Record<string, Json | undefined> = { ...objectOr(object['metadata']) };
  if (entries.length === 0) Reflect.deleteProperty(metadata, 'managedFields');
  else metadata['managedFields'] = entries as readonly unknown[] as readonly Json[];
  return { ...object, metadata };
}

function hasAll(had: readonly unknown[], entries: readonly Ownership[]): boolean {
  return had.length === entries.length && entries.every((entry, index) => entry === had[index]);
}

function byOperationAndTime(left: Ownership, right: Ownership): number {
  return (
    order(left.operation, right.operation) ||
    byTime(left, right) ||
    order(left.manager, right.manager) ||
    order(left.apiVersion, right.apiVersion) ||
    order(left.subresource, right.subresource)
  );
}

const maxUpdaters = 10;
const oldUpdates = 'ancient-changes';

/** If more than ten managers have updated the object, the oldest entries are merged. */
export function capped(managed: Managed): Managed {
  if (managed.size <= maxUpdaters) return managed;
  const updaters = [...managed].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= maxUpdaters) return managed;
  updaters.sort(([left, one], [right, other]) => byTime(one, other) || order(left, right));
  const rest = new Map(managed);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const [id, entry] of updaters) {
    if (count <= maxUpdaters) break;
    const { apiVersion } = entry;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, id);
      continue;
    }
    const owner = {
      manager: oldUpdates,
      operation: 'Update',
      apiVersion,
      subresource: '',
    } as const;
    const bucket = identityOf(owner);
    const older = rest.get(bucket) ?? rest.get(first) ?? entry;
    if (!rest.has(bucket)) rest.delete(first);
    rest.delete(id);
    rest.set(bucket, ownership(owner, union(entry.fieldsV1, older.fieldsV1), entry.time));
    count -= 1;
  }
  return rest;
}

/** Without managers that own nothing any more. */
export function owning(managed: Managed): Managed {
  return new Map([...managed].filter(([, { fieldsV1 }]) => !isEmpty(fieldsV1)));
}

function byTime({ time: left }: Ownership, { time: right }: Ownership): number {
  if (left === right) return 0;
  return Math.floor((parseTime(left) ?? 0) / 1000) - Math.floor((parseTime(right) ?? 0) / 1000);
}

function order(left = '', right = ''): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
