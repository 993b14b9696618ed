/** Decodes metadata: known fields of the right type, without empty ones (ObjectMeta in Go). */
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { StoredMeta } from './draft.ts';

type Check = 'string' | 'number' | 'strings' | 'names' | 'objects';

const fields: Readonly<Record<string, Check>> = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  selfLink: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'number',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  deletionGracePeriodSeconds: 'number',
  labels: 'strings',
  annotations: 'strings',
  ownerReferences: 'objects',
  finalizers: 'names',
  managedFields: 'objects',
};

const ownerFields = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];

/** Returns the same reference when nothing is left out. `dropped` collects unknown fields. */
export function decodedMeta(
  value: Json | undefined,
  refuse: (why: string) => Error,
  dropped: string[],
): StoredMeta {
  const meta = value ?? {};
  if (!isObject(meta)) throw refuse(unmarshal(meta, 'metadata', 'v1.ObjectMeta'));
  if (Object.isFrozen(meta)) return meta as unknown as StoredMeta;
  let kept: Record<string, Json | undefined> = meta;
  for (const [name, field] of Object.entries(meta)) {
    const check = fields[name];
    if (check === undefined) dropped.push(`metadata.${name}`);
    else if (field !== null && field !== undefined) {
      checkField(name, field, check, refuse);
      if (check === 'objects' && name === 'ownerReferences') checkOwners(field, refuse, dropped);
      if (!isEmpty(name, field) && name !== 'selfLink') continue;
    }
    if (kept === meta) kept = { ...meta };
    // oxlint-disable-next-line typescript/no-dynamic-delete -- of an own copy
    delete kept[name];
  }
  return kept as unknown as StoredMeta;
}

function checkField(name: string, value: Json, check: Check, refuse: (why: string) => Error): void {
  const path = `metadata.${name}`;
  switch (check) {
    case 'string':
    case 'number':
      if (typeof value !== check)
        throw refuse(unmarshal(value, path, check === 'number' ? 'int64' : check));
      return;
    case 'strings':
      if (!isObject(value)) throw refuse(unmarshal(value, path, 'map[string]string'));
      for (const item of Object.values(value)) {
        if (typeof item !== 'string') throw refuse(unmarshal(item ?? null, path, 'string'));
      }
      return;
    case 'names':
    case 'objects':
      if (!Array.isArray(value))
        throw refuse(unmarshal(value, path, check === 'names' ? '[]string' : '[]object'));
      for (const item of value as readonly Json[]) {
        if (check === 'names' ? typeof item === 'string' : isObject(item)) continue;
        throw refuse(unmarshal(item, path, check === 'names' ? 'string' : 'object'));
      }
  }
}

function checkOwners(owners: Json, refuse: (why: string) => Error, dropped: string[]): void {
  for (const [place, owner] of (owners as readonly JsonObject[]).entries()) {
    for (const [name, value] of Object.entries(owner)) {
      const path = `metadata.ownerReferences[${place}].${name}`;
      if (!ownerFields.includes(name)) dropped.push(path);
      const wanted = ['controller', 'blockOwnerDeletion'].includes(name) ? 'boolean' : 'string';
      if (typeof value !== wanted && ownerFields.includes(name)) {
        throw refuse(unmarshal(value ?? null, 'metadata.ownerReferences', wanted));
      }
    }
  }
}

function unmarshal(value: Json, field: string, type: string): string {
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const shown = kind === 'boolean' ? 'bool' : kind;
  return `json: cannot unmarshal ${shown} into Go struct field ObjectMeta.${field} of type ${type}`;
}

/** A grace period of 0 seconds is kept. Go leaves out the other numbers of ObjectMeta when they are 0. */
function isEmpty(name: string, value: Json): boolean {
  if (value === '') return true;
  if (value === 0) return name !== 'deletionGracePeriodSeconds';
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
