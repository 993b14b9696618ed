import type { KubeObject } from '#shared/domain/objects.ts';
import type { ObjectStore } from '#sandbox';

/**
 * Whether a view holds the very versions of `there`, which the store has. Asked between any two steps, so
 * that it makes no copies.
 */
export function areSame(
  seen: Iterable<KubeObject>,
  there: readonly KubeObject[],
  store: ObjectStore,
): boolean {
  let count = 0;
  for (const { metadata } of seen) {
    const { uid, resourceVersion } = metadata;
    if (store.byUid(uid)?.object.metadata.resourceVersion !== resourceVersion) return false;
    count += 1;
  }
  return count === there.length;
}
