import { segmentsOf, type Segment } from '#shared/api/wrapped/template-path.ts';
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';

/** The resource with the Pod template at this path changed. Undefined: the path has none. */
export function changedAt(
  resource: JsonObject,
  path: string,
  change: (podTemplate: JsonObject) => JsonObject,
): JsonObject | undefined {
  const segments = segmentsOf(path);
  if ('fault' in segments) return undefined;
  const changed = changedIn(resource, segments.value, change);
  return isObject(changed) ? changed : undefined;
}

function changedIn(
  value: Json | undefined,
  [first, ...rest]: readonly Segment[],
  change: (podTemplate: JsonObject) => JsonObject,
): Json | undefined {
  if (first === undefined) {
    return isObject(value) && isObject(value['spec']) ? change(value) : undefined;
  }
  if (typeof first === 'number') {
    const changed = isList(value) ? changedIn(value[first], rest, change) : undefined;
    return isList(value) && changed !== undefined ? value.with(first, changed) : undefined;
  }
  if (!isObject(value)) return undefined;
  const changed = changedIn(ownMember(value, first), rest, change);
  if (changed === undefined) return undefined;
  const copy = { ...value };
  setOwnMember(copy, first, changed);
  return copy;
}
