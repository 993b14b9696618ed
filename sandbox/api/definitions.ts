/**
 * CustomResourceDefinitions: a stored one is served at once, and a deleted one takes its objects
 * with it (apiextensions-apiserver establishing, naming and finalizer controllers).
 */
import { customTypes } from '../registry/custom-types.ts';
import type { StoreEvent } from '../store/object-store.ts';
import type { World } from './world.ts';

const definitions = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };

export function serveDefinitions(world: World): void {
  world.store.onChange((event) => {
    if (isDefinition(event)) follow(world, event);
  });
}

function isDefinition({ resourceType }: StoreEvent): boolean {
  return resourceType.plural === definitions.plural && resourceType.group === definitions.group;
}

function follow({ store, types }: World, { type, object, old }: StoreEvent): void {
  const { name } = object.metadata;
  if (type !== 'DELETED') {
    if (old?.spec !== object.spec) types.register(name, customTypes(object));
    return;
  }
  const gone = customTypes(object)[0]?.storage.type;
  if (gone !== undefined) {
    for (const { metadata } of store.list(gone)) {
      store.remove(gone, metadata.namespace ?? '', metadata.name);
    }
  }
  types.unregister(name);
}
