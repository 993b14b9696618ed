import { createPatch, type Operation } from 'rfc6902';
import { isList } from '#shared/domain/json-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

export type { Operation };

/** A position in the document, in the library's form; `add` goes one level down. */
interface Place {
  add(token: string): Place;
  toString(): string;
}

/**
 * The JSON patch (RFC 6902) from `before` to `after`. It contains only differences: an unchanged
 * number that JavaScript cannot hold exactly stays as it is.
 */
export function patchBetween(before: JsonObject, after: JsonObject): readonly Operation[] {
  return createPatch(before, after, (left: unknown, right: unknown, at: Place) =>
    isList(left) && isList(right) ? [...listPatch(left, right, at)] : undefined,
  );
}

/**
 * The library compares every item with every other one, recursively. A list of some thousands, which
 * any user may send, would take minutes or overflow the stack. Here the common beginning and end
 * stay, and the rest is compared by position. Patches are sometimes longer, but the work is linear.
 */
function listPatch(before: readonly Json[], after: readonly Json[], at: Place): Operation[] {
  const start = commonLength(before, after, (list, index) => list[index]);
  const [left, right] = [before.slice(start), after.slice(start)];
  const end = commonLength(left, right, (list, index) => list.at(-1 - index));
  const [removed, added] = [left.length - end, right.length - end];
  const paired = Math.min(removed, added);
  const place = (index: number): Place => at.add(String(start + index));
  const changes = Array.from({ length: paired }, (_, index) =>
    itemPatch(left[index] as Json, right[index] as Json, place(index)),
  );
  const removals = Array.from({ length: removed - paired }, (): Operation => {
    return { op: 'remove', path: place(paired).toString() };
  });
  const additions = right.slice(paired, added).map((value, index): Operation => {
    return { op: 'add', path: place(paired + index).toString(), value };
  });
  return [...changes.flat(), ...removals, ...additions];
}

/** The patch inside an item, with paths from the root of the document. */
function itemPatch(before: Json, after: Json, at: Place): readonly Operation[] {
  if (jsonEqual(before, after)) return [];
  const inside = patchBetween({ item: before }, { item: after });
  const from = '/item'.length;
  return inside.map((operation) => ({
    ...operation,
    path: `${at.toString()}${operation.path.slice(from)}`,
  }));
}

function commonLength(
  left: readonly Json[],
  right: readonly Json[],
  itemOf: (list: readonly Json[], index: number) => Json | undefined,
): number {
  const most = Math.min(left.length, right.length);
  let length = 0;
  while (length < most && isSame(itemOf(left, length), itemOf(right, length))) length += 1;
  return length;
}

function isSame(left: Json | undefined, right: Json | undefined): boolean {
  return left === right || jsonEqual(left, right);
}
