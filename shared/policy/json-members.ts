/** Members of values of any shape. A member of the wrong type counts as absent. */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

export function memberOf(holder: JsonObject, name: string): JsonObject {
  const member = ownMember(holder, name);
  return isObject(member) ? member : {};
}

/** Empty if it is absent. */
export function textOf(holder: JsonObject, name: string): string {
  const member = ownMember(holder, name);
  return typeof member === 'string' ? member : '';
}

/** The objects of a list, with their positions. */
export function lists(
  holder: JsonObject,
  name: string,
): readonly (readonly [JsonObject, number])[] {
  const member = ownMember(holder, name);
  if (!isList(member)) return [];
  return member.flatMap((item, index) => (isObject(item) ? [[item, index] as const] : []));
}
