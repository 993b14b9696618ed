import {
  apiVersionOf,
  objectName,
  type ObjectKey,
  type Resource,
  type Uid,
} from '#shared/domain/objects.ts';
import { directTargets } from '#shared/subscription/route.ts';
import type { Index } from '#shared/subscription/subscription.ts';

/**
 * From a Workload to the object that has it, and to everything that is admitted with this object. For an owner that
 * only Kueue manages, just what it owns directly is found.
 */
export const admittedWith =
  (decides: readonly Resource[]): Index =>
  (seen) =>
  (event) => {
    const found = new Map<string, ObjectKey>();
    const add = (key: ObjectKey): void => {
      if (found.has(key.uid)) return;
      found.set(key.uid, key);
      addOwned(key.uid);
    };
    const addOwned = (owner: Uid): void => {
      for (const resource of decides) {
        const apiVersion = apiVersionOf(resource);
        for (const { metadata } of seen.listByOwner(resource, owner)) {
          const { uid } = metadata;
          add({ apiVersion, kind: resource.kind, ...objectName(metadata), uid });
        }
      }
    };
    directTargets({ decides }, { leadsTo: 'controller' }, event).forEach(add);
    const { owner } = event;
    if (owner !== undefined && !found.has(owner.uid)) addOwned(owner.uid);
    return [...found.values()];
  };
