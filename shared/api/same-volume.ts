/** Whether two volumes are equal. A quantity may be written in several ways (`1Gi`, `1024Mi`). */
import { isObject } from '#shared/domain/json-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { parseQuantity } from '#shared/domain/quantity.ts';
import type { Volume } from './pod-template.ts';

export function sameVolume(left: Volume, right: Volume): boolean {
  return jsonEqual(left, right) || jsonEqual(normal('', left), normal('', right));
}

/** Fields of core/v1 Volume: in emptyDir, downwardAPI, and the claims of ephemeral volumes. */
const quantities: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);
const quantityMaps: ReadonlySet<string> = new Set(['requests', 'limits']);

/** The value under `name`, with its quantities as numbers. */
function normal(name: string, value: Json): Json {
  if (quantities.has(name)) return asNumber(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => normal('', item));
  if (!isObject(value)) return value;
  const ofMember = quantityMaps.has(name)
    ? (_: string, member: Json) => asNumber(member)
    : (key: string, member: Json) => normal(key, member);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      member === undefined ? undefined : ofMember(key, member),
    ]),
  );
}

function asNumber(value: Json): Json {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  return parseQuantity(value) ?? value;
}
