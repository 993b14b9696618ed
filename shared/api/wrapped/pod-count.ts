/** The number of Pods that a part of a resource makes, as an expression over its fields. */
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

/** The number, or why there is none. `path` is that of the part, for people. */
export type PodCount = (part: JsonObject, path: string) => number | { readonly fault: string };

export const one: PodCount = () => 1;

/** A field that is a number; 1 when it is absent. */
export function field(name: string): PodCount {
  return (part, path) => {
    const value = memberAt(part, name) ?? 1;
    if (Number.isInteger(value)) return value as number;
    return { fault: `at path position '${path}.${name}' non-int value ${JSON.stringify(value)}` };
  };
}

/**
 * A Job's Pods at once: at most its completions. `spec`: path of its spec. The original ignores a value that is not
 * an integer, and then the API server refuses the Job; here it is a fault.
 */
export function podsOfJob(spec: string): PodCount {
  const parallelism = field(`${spec}.parallelism`);
  const completions = field(`${spec}.completions`);
  return (part, path) => {
    const most = parallelism(part, path);
    if (typeof most !== 'number' || memberAt(part, `${spec}.completions`) === undefined)
      return most;
    const all = completions(part, path);
    return typeof all === 'number' ? Math.min(most, all) : all;
  };
}

/** A field that is a number; any other value counts as 1. */
export function numberOrOne(name: string): (part: JsonObject) => number {
  return (part) => numberAt(part, name) ?? 1;
}

export function times(left: PodCount, right: PodCount): PodCount {
  return (part, path) => {
    const [a, b] = [left(part, path), right(part, path)];
    if (typeof a !== 'number') return a;
    return typeof b === 'number' ? a * b : b;
  };
}

export function lessOne(count: PodCount): PodCount {
  return (part, path) => {
    const found = count(part, path);
    return typeof found === 'number' ? found - 1 : found;
  };
}

/** `present` if the field exists, else `absent`. */
export function where(name: string, present: PodCount, absent: PodCount): PodCount {
  return (part, path) => (memberAt(part, name) === undefined ? absent : present)(part, path);
}

function numberAt(part: JsonObject, path: string): number | undefined {
  const value = memberAt(part, path);
  return Number.isInteger(value) ? (value as number) : undefined;
}

/** Undefined: it is absent or null. */
export function memberAt(part: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = part;
  for (const name of path.split('.')) {
    value = isObject(value) ? ownMember(value, name) : undefined;
  }
  return value ?? undefined;
}
