import type { Json } from '#shared/domain/objects.ts';
import { malformed } from './malformed.ts';

/** Deeper nesting than this is refused; Kubernetes objects stay well below it. */
const maxDepth = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON in UTF-8. Throws MR_EVENT_MALFORMED for invalid UTF-8, invalid JSON, nesting deeper
 * than 64 and for a `__proto__` member anywhere, which would reach the prototype when copied.
 * `what` names the text in the reason.
 */
export function parseStrictJson(bytes: Uint8Array, what: string): Json {
  const value = parse(decode(bytes, what), what);
  check(value, what);
  return value;
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    return malformed(`${what} is not UTF-8`, cause);
  }
}

function parse(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    return malformed(`${what} is not JSON: ${cause instanceof Error ? cause.message : ''}`, cause);
  }
}

/** Walks level by level, so that the depth of hostile input costs no stack. */
function check(root: Json, what: string): void {
  let level: Json[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) malformed(`${what} is nested deeper than ${maxDepth} levels`);
    level = level.flatMap((value) => childrenOf(value, what));
  }
}

function childrenOf(value: Json, what: string): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Object.hasOwn(value, '__proto__')) malformed(`${what} has a member named __proto__`);
  return Object.values(value).filter((child) => typeof child === 'object' && child !== null);
}
