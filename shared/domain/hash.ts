import { createHash } from 'node:crypto';
import type { Json } from './objects.ts';

/** JSON text with sorted keys and without undefined members: equal values give equal text. */
export function stableJson(value: Json | undefined): string {
  if (value === undefined) return 'null';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => stableJson(item)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${stableJson(member as Json)}`);
  return `{${members.join(',')}}`;
}

/**
 * Identifies a content for people and for comparison: the first 64 bits of the SHA-256 of its stable
 * JSON, in hexadecimal. Not a protection against somebody who looks for two contents with one hash.
 */
export function contentHash(value: Json | undefined): string {
  return createHash('sha256').update(stableJson(value)).digest('hex').slice(0, 16);
}
