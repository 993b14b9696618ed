import { hash } from 'node:crypto';
import type { Json, JsonObject } from './objects.ts';

/** JSON text with sorted keys and without undefined members: equal values give equal text. */
export function stableJson(value: Json | undefined): string {
  if (value === undefined) return 'null';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => stableJson(item)).join(',')}]`;
  const object = value as JsonObject;
  let members = '';
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${stableJson(member)}`;
  }
  return `{${members}}`;
}

/**
 * Identifies a content: the first 64 bits of the SHA-256 of its stable JSON, in hexadecimal. It does
 * not protect against deliberate collisions.
 */
export function contentHash(value: Json | undefined): string {
  return textHash(stableJson(value));
}

/** The same for a text. */
export function textHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}
