/** Rules for metadata (apimachinery pkg/api/validation/objectmeta.go), with its texts. */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { forbidden, invalid, required } from '../apimachinery/cause.ts';
import type { StoredMeta } from './draft.ts';
import { type NameRule, labelKeyFault, labelValueFault } from '../apimachinery/names.ts';
import type { StatusCause } from '../apimachinery/status-error.ts';

const annotationLimitBytes = 256 * 1024;
const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

export function metadataFaults(meta: StoredMeta, nameRule: NameRule): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  const { name, generateName = '', labels, annotations, finalizers, ownerReferences } = meta;
  if (generateName !== '') {
    // A generated suffix follows, so the name may end in a dash.
    const found = nameRule(generateName.replace(/-$/, 'a'));
    if (found !== undefined) faults.push(invalid('metadata.generateName', generateName, found));
  }
  const found = nameRule(name);
  if (found !== undefined) faults.push(invalid('metadata.name', name, found));
  if (ownerReferences !== undefined) faults.push(...ownerFaults(ownerReferences));
  if (labels !== undefined) faults.push(...labelFaults(labels, 'metadata.labels'));
  if (annotations !== undefined) faults.push(...annotationFaults(annotations));
  if (finalizers !== undefined) faults.push(...finalizerFaults(finalizers));
  return faults;
}

export function labelFaults(
  labels: Readonly<Record<string, string>>,
  path: string,
): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  for (const [key, value] of Object.entries(labels)) {
    const keyFault = labelKeyFault(key);
    if (keyFault !== undefined) faults.push(invalid(path, key, keyFault));
    const valueFault = labelValueFault(value);
    if (valueFault !== undefined) faults.push(invalid(path, value, valueFault));
  }
  return faults;
}

/** `old` and `meta`: before and after an update that may change both. */
export function metadataChangeFaults(meta: StoredMeta, old: StoredMeta): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  if (meta.uid !== old.uid) faults.push(immutable('metadata.uid', meta.uid));
  if (meta.name !== old.name) faults.push(immutable('metadata.name', meta.name));
  if (meta.namespace !== old.namespace) {
    faults.push(immutable('metadata.namespace', meta.namespace ?? ''));
  }
  faults.push(...deletionChangeFaults(meta, old));
  if (old.deletionTimestamp !== undefined) {
    const added = (meta.finalizers ?? []).filter((name) => old.finalizers?.includes(name) !== true);
    if (added.length > 0) {
      const list = added.map((name) => JSON.stringify(name)).join(', ');
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
      faults.push(forbidden('metadata.finalizers', detail));
    }
  }
  return faults;
}

/** Only a delete sets deletionTimestamp. If an update leaves it out, it keeps its value. */
function deletionChangeFaults(meta: StoredMeta, old: StoredMeta): readonly StatusCause[] {
  return (['deletionTimestamp', 'deletionGracePeriodSeconds'] as const).flatMap((field) => {
    const value = meta[field];
    return value === undefined || value === old[field]
      ? []
      : [immutable(`metadata.${field}`, value)];
  });
}

export function immutable(field: string, value: Json): StatusCause {
  return invalid(field, value, 'field is immutable');
}

/** No fault when the field is unchanged. */
export function immutableFault(
  field: string,
  value: unknown,
  old: unknown,
): readonly StatusCause[] {
  return jsonEqual(value, old) ? [] : [immutable(field, (value ?? null) as Json)];
}

function annotationFaults(annotations: Readonly<Record<string, string>>): readonly StatusCause[] {
  const path = 'metadata.annotations';
  let bytes = 0;
  const faults = Object.entries(annotations).flatMap(([key, value]) => {
    bytes += key.length + value.length;
    const found = labelKeyFault(key.toLowerCase());
    return found === undefined ? [] : [invalid(path, key, found)];
  });
  if (bytes <= annotationLimitBytes) return faults;
  const detail = `Too long: may not be more than ${annotationLimitBytes} bytes`;
  return [...faults, { reason: 'FieldValueTooLong', message: detail, field: path }];
}

function finalizerFaults(finalizers: readonly string[]): readonly StatusCause[] {
  const faults = finalizers.flatMap((name, place) => {
    const path = `metadata.finalizers[${place}]`;
    const found = labelKeyFault(name);
    if (found !== undefined) return [invalid(path, name, found)];
    if (name.includes('/') || standardFinalizers.has(name)) return [];
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalid(path, name, detail)];
  });
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return faults;
  const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
  return [...faults, invalid('metadata.finalizers', finalizers, detail)];
}

type Owners = NonNullable<StoredMeta['ownerReferences']>;

function ownerFaults(owners: Owners): readonly StatusCause[] {
  const path = 'metadata.ownerReferences';
  const faults = owners.flatMap((owner) => {
    const own: StatusCause[] = [];
    const parts = owner.apiVersion.split('/');
    if (parts.length > 2) {
      const detail = `unexpected GroupVersion string: ${owner.apiVersion}`;
      own.push(invalid(`${path}.apiVersion`, owner.apiVersion, detail));
    } else if (parts.at(-1) === '')
      own.push(invalid(`${path}.apiVersion`, owner.apiVersion, 'version must not be empty'));
    for (const field of ['kind', 'name', 'uid'] as const) {
      if (owner[field] === '') own.push(invalid(`${path}.${field}`, '', 'must not be empty'));
    }
    if (owner.kind === 'Event' && ['v1', 'events.k8s.io/v1'].includes(owner.apiVersion)) {
      const kind = `${owner.apiVersion.replace(/^v1$/, '/v1')}, Kind=Event`;
      own.push(invalid(path, JSON.stringify(owner), `${kind} is disallowed from being an owner`));
    }
    return own;
  });
  const [first, second] = owners.filter(({ controller }) => controller === true);
  if (first === undefined || second === undefined) return faults;
  const found = `"true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`;
  const detail = `Only one reference can have Controller set to true. Found ${found}`;
  return [...faults, invalid(path, owners as unknown as Json, detail)];
}

/** The fault of a create without a name and generateName. */
export const nameRequired: StatusCause = required(
  'metadata.name',
  'name or generateName is required',
);
