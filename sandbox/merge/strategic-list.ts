/**
 * Lists in a strategic merge patch: items are matched by the merge key, or by value if there is
 * none. The result has the order of the patch, with the other live items between. Rule: mergeSlice,
 * mergePatchIntoOriginal and normalizeElementOrder of strategicpatch/patch.go.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { goPrint } from '../apimachinery/go-text.ts';
import { badDirective, cannotMerge, listsOfLists, noMergeKey } from './strategic-error.ts';

/** `key` undefined: a set of primitives. */
export interface ListRule {
  readonly key: string | undefined;
}

type List = readonly Json[];
type MergeItem = (live: JsonObject, patch: JsonObject) => JsonObject;

const directive = '$patch';

export function mergeLists(live: List, patch: List, { key }: ListRule, merge: MergeItem): List {
  if (live.length === 0 && patch.length === 0) return live;
  if (!holdsMaps([live, patch])) {
    return arrange([...new Set([...live, ...patch])], patch, live, undefined);
  }
  if (key === undefined) throw cannotMerge('cannot merge lists without merge key for struct');
  const { base, plain } = applyDirectives(live, patch, key);
  return arrange(mergeByKey(base, plain, key, merge), plain, base, key);
}

/** `$deleteFromPrimitiveList`. */
export function deleteItems(live: List, unwanted: List): List {
  return live.filter((item) => !unwanted.includes(item));
}

/** `$setElementOrder`: undefined when neither side has the list. */
export function orderedBy(
  wanted: List,
  live: List | undefined,
  patch: List | undefined,
  rule: ListRule | undefined,
  merge: MergeItem,
  clean: (list: List) => List,
): List | undefined {
  if (live === undefined && patch === undefined) return undefined;
  const key = rule?.key;
  checkOrder(patch ?? [], wanted, key);
  const merged = joined(live, patch, rule, merge, clean);
  if (merged.length === 0) return merged;
  return arrange(merged, wanted, live ?? [], key);
}

function joined(
  live: List | undefined,
  patch: List | undefined,
  rule: ListRule | undefined,
  merge: MergeItem,
  clean: (list: List) => List,
): List {
  if (live === undefined) return clean(patch ?? []);
  if (patch === undefined) return live;
  return rule ? mergeLists(live, patch, rule, merge) : patch;
}

/** The items of the patch must have the order that it asks for. */
function checkOrder(patch: List, wanted: List, key: string | undefined): void {
  if (patch.length === 0 || wanted.length === 0) return;
  const plain = patch.filter((item) => !(isObject(item) && item[directive] !== undefined));
  let at = 0;
  for (const item of wanted) {
    if (at < plain.length && identity(plain[at] ?? null, key) === identity(item, key)) at += 1;
  }
  if (at === plain.length) return;
  throw cannotMerge(
    `The order in patch list:\n${goPrint(patch)}\n doesn't match $setElementOrder list:\n${goPrint(wanted)}\n`,
  );
}

function applyDirectives(
  live: List,
  patch: List,
  key: string,
): { readonly base: List; readonly plain: List } {
  let base = live;
  let replaces = false;
  const plain: Json[] = [];
  for (const item of patch as readonly JsonObject[]) {
    const marker = item[directive];
    if (marker === undefined) plain.push(item);
    else if (marker === 'delete') {
      const unwanted = identity(item, key);
      base = base.filter((one) => (one as JsonObject)[key] !== unwanted);
    } else if (marker === 'replace') replaces = true;
    else if (marker === 'merge') {
      throw cannotMerge('merging lists cannot yet be specified in the patch');
    } else throw badDirective(marker, item);
  }
  return replaces ? { base: [], plain } : { base, plain };
}

function mergeByKey(base: List, plain: List, key: string, merge: MergeItem): Json[] {
  const merged = [...base];
  for (const item of plain as readonly JsonObject[]) {
    const wanted = identity(item, key);
    const at = merged.findIndex((one) => (one as JsonObject)[key] === wanted);
    if (at < 0) merged.push(item);
    else merged[at] = merge(merged[at] as JsonObject, item);
  }
  return merged;
}

/**
 * Items of `wanted` in its order, and the others in the order of `live`. Where both compete for a
 * place, another item comes first if it did so in `live`.
 */
function arrange(items: List, wanted: List, live: List, key: string | undefined): List {
  const place = (list: List, item: Json): number => {
    const own = identity(item, key);
    return list.findIndex((other) => identity(other, key) === own);
  };
  const by = (list: List) => (left: Json, right: Json) => place(list, left) - place(list, right);
  const named = items.filter((item) => place(wanted, item) >= 0).sort(by(wanted));
  const others = items.filter((item) => place(wanted, item) < 0).sort(by(live));
  const arranged: Json[] = [];
  for (const item of named) {
    while (others[0] !== undefined && isBefore(place(live, others[0]), place(live, item))) {
      arranged.push(others[0]);
      others.shift();
    }
    arranged.push(item);
  }
  return [...arranged, ...others];
}

const isBefore = (left: number, right: number): boolean => left >= 0 && right >= 0 && left < right;

function identity(item: Json, key: string | undefined): Json {
  if (key === undefined) return item;
  if (!isObject(item)) throw cannotMerge(`value for key ${key} is not a map`);
  const value = item[key];
  if (value === undefined) throw noMergeKey(item, key);
  return value;
}

/** All items must have the same kind, and no item may be a list. */
function holdsMaps(lists: readonly List[]): boolean {
  const kinds = new Set(
    lists.flat().map((item) => (isList(item) ? 'list' : isObject(item) ? 'map' : typeof item)),
  );
  if (kinds.values().next().value === 'list') throw listsOfLists();
  if (kinds.size > 1) {
    throw cannotMerge(`list element types are not identical: ${goPrint(lists)}`);
  }
  return kinds.has('map');
}
