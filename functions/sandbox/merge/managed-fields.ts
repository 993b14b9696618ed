/**
 * metadata.managedFields: who owns which fields of an object (KEP-555). Rules: apimachinery
 * pkg/util/managedfields/internal/managedfields.go and capmanagers.go.
 */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import { type FieldSet, isEmpty, union } from './field-set.ts';
import { parseFields } from './fields-v1.ts';
import { isList, isObject, objectOr } from './json-value.ts';

export type Operation = 'Apply' | 'Update';

export interface Ownership {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

export type Identity = Pick<Ownership, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

/** By identity, in the order in which they were found. */
export type Managed = ReadonlyMap<string, Ownership>;

export class InvalidManagedFields extends Error {
  override readonly name = 'InvalidManagedFields';
}

/** One who applies is the same in each version. The text of upstream's manager identifier. */
export function identityOf({ manager, operation, apiVersion, subresource }: Identity): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

/** The entry that each one was read from, kept to write an unchanged one as it was. */
const sources = new WeakMap<Ownership, JsonObject>();
const parsed = new WeakMap<JsonObject, Ownership>();

export function entriesOf(object: JsonObject | undefined): Json | undefined {
  return objectOr(object?.['metadata'])['managedFields'];
}

/** Throws `InvalidManagedFields`. */
export function readManaged(entries: Json | undefined): Managed {
  const managed = new Map<string, Ownership>();
  if (!isList(entries)) return managed;
  entries.forEach((entry, index) => {
    const ownership = readEntry(entry, index);
    managed.set(identityOf(ownership), ownership);
  });
  return managed;
}

function readEntry(entry: Json, index: number): Ownership {
  const source = objectOr(entry);
  let ownership = parsed.get(source);
  if (ownership === undefined) {
    ownership = parseEntry(source, index);
    parsed.set(source, ownership);
    sources.set(ownership, source);
  }
  return ownership;
}

function parseEntry(entry: JsonObject, index: number): Ownership {
  const { operation, apiVersion, fieldsType } = entry;
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new InvalidManagedFields('operation must be `Apply` or `Update`');
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    throw new InvalidManagedFields('apiVersion must not be empty');
  }
  if (fieldsType !== 'FieldsV1') {
    throw new InvalidManagedFields(
      typeof fieldsType === 'string' && fieldsType !== ''
        ? `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`
        : `missing fieldsType in managed fields entry ${index}`,
    );
  }
  const { manager, subresource, time, fieldsV1 } = entry;
  return {
    manager: typeof manager === 'string' ? manager : '',
    operation,
    apiVersion,
    subresource: typeof subresource === 'string' ? subresource : '',
    time: typeof time === 'string' ? time : undefined,
    fields: parseFields(isObject(fieldsV1) ? fieldsV1 : {}),
  };
}

/** The object with these managed fields and no others; the same object when it has them already. */
export function withManaged(object: JsonObject, managed: Managed): JsonObject {
  const entries = [...managed.values()].sort(byOperationAndTime).map(writeEntry);
  const had = entriesOf(object);
  if (isList(had) && had.length === entries.length && had.every((one, at) => one === entries[at])) {
    return object;
  }
  if (entries.length === 0 && had === undefined) return object;
  const metadata: Record<string, Json | undefined> = { ...objectOr(object['metadata']) };
  if (entries.length === 0) Reflect.deleteProperty(metadata, 'managedFields');
  else metadata['managedFields'] = entries;
  return { ...object, metadata };
}

function writeEntry(ownership: Ownership): JsonObject {
  const { manager, operation, apiVersion, subresource, time, fields } = ownership;
  const known = sources.get(ownership);
  if (known !== undefined) return known;
  const entry: JsonObject = {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource === '' ? {} : { subresource }),
  };
  sources.set(ownership, entry);
  parsed.set(entry, ownership);
  return entry;
}

function byOperationAndTime(left: Ownership, right: Ownership): number {
  return (
    order(left.operation, right.operation) ||
    seconds(left) - seconds(right) ||
    order(left.manager, right.manager) ||
    order(left.apiVersion, right.apiVersion) ||
    order(left.subresource, right.subresource)
  );
}

const maxUpdaters = 10;
const oldUpdates = 'ancient-changes';

/** Beyond ten who updated, the oldest become one. */
export function capped(managed: Managed): Managed {
  const updaters = [...managed].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= maxUpdaters) return managed;
  updaters.sort(
    ([left, one], [right, other]) => seconds(one) - seconds(other) || order(left, right),
  );
  const rest = new Map(managed);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const [id, ownership] of updaters) {
    if (count <= maxUpdaters) break;
    const { apiVersion } = ownership;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, id);
      continue;
    }
    const bucket = {
      manager: oldUpdates,
      operation: 'Update',
      apiVersion,
      subresource: '',
    } as const;
    const bucketId = identityOf(bucket);
    const older = rest.get(bucketId) ?? rest.get(first) ?? ownership;
    if (!rest.has(bucketId)) rest.delete(first);
    rest.delete(id);
    rest.set(bucketId, {
      ...bucket,
      time: ownership.time,
      fields: union(ownership.fields, older.fields),
    });
    count -= 1;
  }
  return rest;
}

/** Without those who own nothing any more. */
export function owning(managed: Managed): Managed {
  return new Map([...managed].filter(([, { fields }]) => !isEmpty(fields)));
}

function seconds({ time }: Ownership): number {
  return Math.floor((parseTime(time) ?? 0) / 1000);
}

function order(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
