/** ConfigMap and Secret (pkg/apis/core/validation ValidateConfigMap, ValidateSecret and their updates). */
import { forbidden, invalid } from '../../schema/cause.ts';
import type { Draft } from '../draft.ts';
import { immutableFault } from '../metadata-rules.ts';
import { configKeyFault } from '../names.ts';
import { sameJson } from '../same-json.ts';
import type { StatusCause } from '../status-error.ts';
import { plain, type Strategy } from '../strategy.ts';

type Entries = Readonly<Record<string, string>>;

export const configMap: Strategy = {
  ...plain,
  faults: (object) => [...keyFaults(object, 'data'), ...keyFaults(object, 'binaryData')],
  changeFaults: (object, old) => sealedFaults(object, old, ['data', 'binaryData']),
};

export const secret: Strategy = {
  ...plain,
  defaults: withEncodedText,
  faults: (object) => keyFaults(object, 'data'),
  changeFaults: (object, old) => [
    ...immutableFault('type', object['type'], old['type']),
    ...sealedFaults(object, old, ['data']),
  ],
};

/** stringData is written, never read. */
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

function sealedFaults(
  object: Draft,
  old: Draft,
  fields: readonly string[],
): readonly StatusCause[] {
  if (old['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const changed = fields.filter((field) => !sameJson(object[field], old[field]));
  if (object['immutable'] !== true) changed.unshift('immutable');
  return changed.map((field) => forbidden(field, detail));
}
