/** ConfigMap and Secret (pkg/apis/core/validation ValidateConfigMap, ValidateSecret and their updates). */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { forbidden, invalid, required, tooLong } from '../../apimachinery/cause.ts';
import type { Draft } from '../draft.ts';
import { immutableFault } from '../metadata-rules.ts';
import { configKeyFault } from '../../apimachinery/names.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { plain, type Strategy } from '../strategy.ts';

type Entries = Readonly<Record<string, string>>;

export const configMap: Strategy = {
  ...plain,
  faults: (object) => [
    ...keyFaults(object, 'data'),
    ...sharedKeyFaults(object),
    ...keyFaults(object, 'binaryData'),
    ...sizeFaults(object, ''),
  ],
  changeFaults: (object, old) => sealedFaults(object, old, ['data', 'binaryData']),
};

export const secret: Strategy = {
  ...plain,
  defaults: withEncodedText,
  faults: (object, isCreate) => [
    ...keyFaults(object, 'data'),
    ...sizeFaults(object, 'data'),
    ...(isCreate ? secretTypeFaults(object) : []),
  ],
  changeFaults: (object, old) => [
    ...immutableFault('type', object['type'], old['type']),
    ...sealedFaults(object, old, ['data']),
  ],
};

/** stringData can be written but not read. */
function withEncodedText(object: Draft): Draft {
  const { stringData, ...rest } = object;
  const typed = object['type'] === undefined ? { ...rest, type: 'Opaque' } : rest;
  if (stringData === undefined) return typed === rest ? object : typed;
  const encoded = Object.entries(stringData as Entries).map(
    ([key, text]) => [key, Buffer.from(text).toString('base64')] as const,
  );
  const present = object['data'] as Entries | undefined;
  const data: Entries = { ...present, ...Object.fromEntries(encoded) };
  return { ...typed, data };
}

function keyFaults(object: Draft, field: string): readonly StatusCause[] {
  return Object.keys((object[field] ?? {}) as Entries).flatMap((key) => {
    const found = configKeyFault(key);
    return found === undefined ? [] : [invalid(`${field}[${key}]`, key, found)];
  });
}

function sharedKeyFaults(object: Draft): readonly StatusCause[] {
  const binary = (object['binaryData'] ?? {}) as Entries;
  return Object.keys((object['data'] ?? {}) as Entries)
    .filter((key) => Object.hasOwn(binary, key))
    .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
}

const maxBytes = 1024 * 1024;

/** Size of all values together. Values in base64 count decoded. */
function sizeFaults(object: Draft, path: string): readonly StatusCause[] {
  const texts = Object.values((object['data'] ?? {}) as Entries);
  const encoded = Object.values((object['binaryData'] ?? {}) as Entries);
  const isSecret = object.kind === 'Secret';
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text, isSecret ? 'base64' : 'utf8');
  for (const text of encoded) bytes += Buffer.byteLength(text, 'base64');
  if (bytes <= maxBytes) return [];
  const { message, reason } = tooLong(path, maxBytes);
  // The API server prints the path of the whole ConfigMap as `[]`.
  return [{ reason, message, field: path === '' ? '[]' : path }];
}

/** Required keys of the known types of Secrets. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

function secretTypeFaults(object: Draft): readonly StatusCause[] {
  const type = object['type'] as string;
  const data = (object['data'] ?? {}) as Entries;
  const missing = (requiredKeys[type] ?? []).filter((key) => !Object.hasOwn(data, key));
  return missing.map((key) => required(`data[${key}]`));
}

function sealedFaults(
  object: Draft,
  old: Draft,
  fields: readonly string[],
): readonly StatusCause[] {
  if (old['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const changed = fields.filter((field) => !jsonEqual(object[field], old[field]));
  if (object['immutable'] !== true) changed.unshift('immutable');
  return changed.map((field) => forbidden(field, detail));
}
