import { hasCode } from '#shared/domain/errors.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import {
  deployments,
  type Installed,
  knativeService,
  resourceOf,
  services,
} from './installed-resources.ts';

type Writer = Pick<KubeClient, 'get' | 'list' | 'patch' | 'delete'>;

const fieldManager = 'millrace-install';

/** Server-side apply: a repeated apply changes only what the manifests say. */
export async function applyAll(
  client: Writer,
  manifests: readonly Installed[],
  dryRun: boolean,
): Promise<void> {
  for (const manifest of manifests) {
    const resource = resourceOf(manifest);
    const { namespace = '', name } = manifest.metadata;
    const options = { type: 'apply', fieldManager, force: true, dryRun } as const;
    await client.patch(resource, { namespace, name }, manifest, options);
  }
}

/**
 * Running objects of the other variant or of an older version that this installation does not have. They are removed
 * first, because a Knative Service cannot take the name of an existing Service.
 */
export async function leftOver(
  client: Pick<KubeClient, 'list'>,
  manifests: readonly Installed[],
  namespace: string,
): Promise<readonly { readonly resource: Resource; readonly object: KubeObject }[]> {
  const wanted = new Set(manifests.map((each) => keyOf(resourceOf(each), each.metadata.name)));
  const labelSelector = 'app.kubernetes.io/part-of=millrace';
  const found: { resource: Resource; object: KubeObject }[] = [];
  for (const resource of [deployments, knativeService, services]) {
    for (const object of await itemsOf(client, resource, { namespace, labelSelector })) {
      // Objects that Knative creates for its Services have their labels.
      if ((object.metadata.ownerReferences ?? []).length > 0) continue;
      if (!wanted.has(keyOf(resource, object.metadata.name))) found.push({ resource, object });
    }
  }
  return found;
}

function keyOf({ group, plural }: Resource, name: string): string {
  return `${plural}.${group}/${name}`;
}

/** Empty if the kind is not served. */
async function itemsOf(
  client: Pick<KubeClient, 'list'>,
  resource: Resource,
  options: { readonly namespace: string; readonly labelSelector: string },
): Promise<readonly KubeObject[]> {
  try {
    return (await client.list(resource, options)).items;
  } catch (error) {
    if (hasCode(error, 'MR_API_NOT_FOUND')) return [];
    throw error;
  }
}

/** Deletes in the given order. Missing objects are skipped. */
export async function removeAll(
  client: Pick<KubeClient, 'delete'>,
  objects: readonly { readonly resource: Resource; readonly object: Pick<Installed, 'metadata'> }[],
): Promise<void> {
  for (const { resource, object } of objects) {
    const { namespace = '', name } = object.metadata;
    try {
      await client.delete(resource, { namespace, name }, { propagation: 'Background' });
    } catch (error) {
      if (!hasCode(error, 'MR_API_NOT_FOUND')) throw error;
    }
  }
}
