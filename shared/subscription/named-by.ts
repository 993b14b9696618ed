import {
  apiVersionOf,
  type KubeObject,
  objectName,
  type ObjectKey,
  type Resource,
} from '#shared/domain/objects.ts';
import type { Index } from './subscription.ts';

/**
 * The objects of this resource, in the namespace of a changed one, that name it and still depend on it. The index is
 * built at its first use, so that a batch of events costs a single pass.
 */
export function namedBy(
  resource: Resource,
  namesIn: (object: KubeObject) => readonly string[],
  dependsOnIt: (object: KubeObject) => boolean,
): Index {
  return (seen) => {
    let index: ReadonlyMap<string, readonly ObjectKey[]> | undefined;
    return ({ namespace, name }) => {
      index ??= indexByName(resource, [...seen.list(resource)].filter(dependsOnIt), namesIn);
      return index.get(nameKey(namespace, name)) ?? [];
    };
  };
}

function indexByName(
  resource: Resource,
  objects: readonly KubeObject[],
  namesIn: (object: KubeObject) => readonly string[],
): ReadonlyMap<string, readonly ObjectKey[]> {
  const index = new Map<string, ObjectKey[]>();
  for (const object of objects) {
    const key = keyOf(resource, object);
    for (const name of namesIn(object)) {
      const known = index.get(nameKey(key.namespace, name));
      if (known === undefined) index.set(nameKey(key.namespace, name), [key]);
      else known.push(key);
    }
  }
  return index;
}

function keyOf(resource: Resource, { metadata }: KubeObject): ObjectKey {
  const apiVersion = apiVersionOf(resource);
  return { apiVersion, kind: resource.kind, ...objectName(metadata), uid: metadata.uid };
}

function nameKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
