import { isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

/** Undefined: there is no such field. */
export function fieldOf(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, name) => (isObject(found) ? ownMember(found, name) : undefined),
    value,
  );
}
