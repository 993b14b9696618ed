/**
 * Paths into a wrapped resource, as in `podSets[].path`: `template`, then a field as .NAME or a list entry as
 * [INDEX]. A name cannot contain a dot or a bracket. The grammar and its fault messages are those of the original
 * controller (pkg/utils GetPodTemplateSpec).
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

/** Every path begins with it: the resource itself. */
export const root = 'template';

export type AtPath<Value> = { readonly value: Value } | { readonly fault: string };

/** A field, or the index of a list entry. */
export type Segment = string | number;

export interface PodTemplateObject extends JsonObject {
  readonly spec: JsonObject & { readonly containers: readonly Json[] };
}

/** Segments after `template`, each with the path up to it. */
export function segmentsOf(path: string): AtPath<readonly Segment[]> {
  if (!path.startsWith(root)) return { fault: `first element of the path must be '${root}'` };
  const segments: Segment[] = [];
  let place = root.length;
  while (place < path.length) {
    const rest = path.slice(place);
    const before = path.slice(0, place);
    const [matched, field, index] = /^(?:\.([^.[]*)|\[([^\]]*)\])/.exec(rest) ?? [];
    if (matched === undefined) {
      const what = rest.startsWith('[') ? 'invalid array index' : 'invalid path element';
      return { fault: `at path position '${before}' ${what} '${rest}'` };
    }
    if (field !== undefined) segments.push(field);
    else if (index !== undefined && /^[-+]?\d+$/.test(index)) segments.push(Number(index));
    else return { fault: `at path position '${before}' invalid index expression '${index}'` };
    place += matched.length;
  }
  return { value: segments };
}

/** The value at the path. */
export function valueAt(resource: JsonObject, path: string): AtPath<Json> {
  const segments = segmentsOf(path);
  if ('fault' in segments) return segments;
  let value: Json = resource;
  let at = root;
  for (const segment of segments.value) {
    const next = memberOf(value, segment, at);
    if ('fault' in next) return next;
    value = next.value;
    at += typeof segment === 'number' ? `[${segment}]` : `.${segment}`;
  }
  return { value };
}

function memberOf(value: Json, segment: Segment, at: string): AtPath<Json> {
  const where = `at path position '${at}'`;
  if (typeof segment === 'number') {
    if (!isList(value)) return { fault: `${where} found non-array value` };
    const entry = value[segment];
    if (entry === undefined) return { fault: `${where} out of bounds index '${segment}'` };
    return { value: entry };
  }
  if (!isObject(value)) return { fault: `${where} non-map value` };
  const member = ownMember(value, segment);
  if (member === undefined) return { fault: `${where} missing field '${segment}'` };
  return { value: member };
}

/**
 * The Pod template at the path; a whole Pod counts as one. A list of containers is enough: the API server checks
 * the other fields, and may know newer ones.
 */
export function podTemplateAt(resource: JsonObject, path: string): AtPath<PodTemplateObject> {
  const found = valueAt(resource, path);
  if ('fault' in found) return found;
  const { value } = found;
  if (!isObject(value)) return { fault: `at path position '${path}' non-map value` };
  const { spec } = value;
  if (!isObject(spec)) return { fault: `content at ${path} does not contain a spec` };
  if (!isList(spec['containers'])) {
    const why = 'it has no list of containers';
    return { fault: `content at ${path}.spec not parseable as a v1.PodSpec: ${why}` };
  }
  return { value: value as PodTemplateObject };
}
