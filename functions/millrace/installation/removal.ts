/** Finds for `uninstall` the objects of any variant of an installation. */
import { kinds } from '#functions/list.ts';
import { hasCode } from '#shared/domain/errors.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { chosenManifests } from './chosen.ts';
import { type Installed, nameOf, resourceOf } from './installed-resources.ts';

export interface Removable {
  readonly resource: Resource;
  readonly object: Installed;
}

/** In the order of removal. `kinds`: the definitions too. */
export async function removables(
  client: Pick<KubeClient, 'get'>,
  namespace: string,
  options: { readonly kinds: boolean },
): Promise<readonly Removable[]> {
  const found: Removable[] = [];
  for (const object of manifestsOfAnyWay(namespace)) {
    const isKind = object.kind === 'CustomResourceDefinition';
    // The namespace may contain objects of users.
    if (object.kind === 'Namespace' || (isKind && !options.kinds)) continue;
    const resource = resourceOf(object);
    const { namespace: ofObject = '', name } = object.metadata;
    const where = { namespace: ofObject, name };
    // Also undefined if the kind is not served.
    if ((await client.get(resource, where)) !== undefined) found.push({ resource, object });
  }
  return found;
}

function manifestsOfAnyWay(namespace: string): readonly Installed[] {
  const all = [
    ...chosenManifests({ namespace, kueue: true }),
    ...chosenManifests({ namespace, knative: true }).filter(({ apiVersion }) =>
      apiVersion.startsWith('serving.knative.dev/'),
    ),
    ...chosenManifests({ namespace, namespaced: true }).filter(({ kind }) =>
      ['Role', 'RoleBinding'].includes(kind),
    ),
  ];
  const keyOf = (object: Installed): string =>
    `${nameOf(object)} ${object.metadata.namespace ?? ''}`;
  return [...new Map(all.map((object) => [keyOf(object), object])).values()].toReversed();
}

export interface Left {
  readonly resource: Resource;
  readonly objects: readonly KubeObject[];
}

/** The objects of Millrace's kinds, in all namespaces. Kinds without objects are left out. */
export async function objectsLeft(client: Pick<KubeClient, 'list'>): Promise<readonly Left[]> {
  const left: Left[] = [];
  for (const { resource } of kinds) {
    try {
      const { items } = await client.list(resource, {});
      if (items.length > 0) left.push({ resource, objects: items });
    } catch (error) {
      if (!hasCode(error, 'MR_API_NOT_FOUND')) throw error;
    }
  }
  return left;
}

/** For example `jobflow team-a/nightly`. Only a running Millrace removes these finalizers. */
export function namesWithOurFinalizers(left: readonly Left[]): readonly string[] {
  return left.flatMap(({ resource, objects }) =>
    objects
      .filter(({ metadata: { finalizers = [] } }) =>
        finalizers.some((each) => each.startsWith(`${resource.group}/`)),
      )
      .map(({ metadata: { namespace = '', name } }) => {
        const where = namespace === '' ? name : `${namespace}/${name}`;
        return `${resource.kind.toLowerCase()} ${where}`;
      }),
  );
}
