import type { KubeObject } from '#shared/domain/objects.ts';
import type { ObjectStore } from '#sandbox';

/**
 * Whether a view holds exactly the store's versions `there`. It makes no copies, because it is called
 * between all steps.
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
