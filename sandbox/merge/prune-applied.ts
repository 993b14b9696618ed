/**
 * Removes fields that a manager no longer applies, unless another one owns them. Rule: prune,
 * addBackOwnedItems and addBackDanglingItems in merge/update.go of structured-merge-diff.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { difference, type FieldSet, intersection, union } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { fieldsOf } from './fields-of.ts';
import { objectOr } from '../apimachinery/json-value.ts';
import { removeItems, withNamedFields } from './remove-items.ts';

/** `owned`: the fields of all managers, with the new ones of the applying manager. */
export function pruneApplied(
  type: FieldType,
  merged: JsonObject,
  last: FieldSet,
  owned: FieldSet,
): JsonObject {
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const remove = (set: FieldSet): JsonObject => objectOr(removeItems(type, merged, set));
  const all = named(fieldsOf(type, merged));
  const lastNamed = named(last);
  const pruned = named(fieldsOf(type, remove(lastNamed)));
  const withOwned = remove(difference(all, union(pruned, named(owned))));
  const kept = named(fieldsOf(type, withOwned));
  return remove(intersection(difference(all, kept), lastNamed));
}
