/** Sorts paths such as `spec.items[0].bar` in the order of their fields in the document. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';

export function documentOrder(paths: readonly string[], document: JsonObject): readonly string[] {
  if (paths.length < 2) return paths;
  const placed = paths.map((path) => ({ path, places: placesOf(path, document) }));
  placed.sort((left, right) => compare(left.places, right.places));
  return placed.map(({ path }) => path);
}

function placesOf(path: string, document: JsonObject): readonly number[] {
  let value: Json | undefined = document;
  return (path.match(/[^.[\]]+/g) ?? []).map((step) => {
    if (Array.isArray(value)) {
      value = value[Number(step)] as Json | undefined;
      return Number(step);
    }
    const object = (typeof value === 'object' && value !== null ? value : {}) as JsonObject;
    value = object[step];
    return Object.keys(object).indexOf(step);
  });
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (const [depth, place] of left.entries()) {
    const difference = place - (right[depth] ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
