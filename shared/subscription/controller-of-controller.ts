import {
  apiVersionOf,
  controllerOf,
  isOf,
  type OwnerReference,
  type Resource,
  type Uid,
} from '#shared/domain/objects.ts';
import type { Index, SeenObjects } from './subscription.ts';

/**
 * From an object to the controller of its controller (from a Pod by its Job to a flow). The result is of
 * `resource`, the one in between of `through`. It uses owner uids and never labels, which any user may
 * set.
 */
export const controllerOfController =
  (resource: Resource, through: Resource): Index =>
  (seen) =>
  ({ namespace, owner }) => {
    if (owner === undefined) return [];
    const root = controllerOfOne(seen, through, namespace, owner);
    if (root === undefined || !isOf(root, resource)) return [];
    const { name, uid } = root;
    return [{ apiVersion: apiVersionOf(resource), kind: resource.kind, namespace, name, uid }];
  };

/** For the object with this name and uid, which no other object has. */
function controllerOfOne(
  seen: SeenObjects,
  resource: Resource,
  namespace: string,
  { name, uid }: { readonly name: string; readonly uid: Uid },
): OwnerReference | undefined {
  const object = seen.get(resource, namespace, name);
  return object?.metadata.uid === uid ? controllerOf(object.metadata) : undefined;
}
