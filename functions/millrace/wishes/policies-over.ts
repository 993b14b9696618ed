/** The suspend policies that decide about an object. */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { hasCode } from '#shared/domain/errors.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { governedObject } from '#shared/suspension/governed-object.ts';
import { policyResources, selects, takesPart } from '#shared/suspension/selection.ts';
import { listed } from '../why/surroundings.ts';

/** Undefined: the user may not read them. */
export async function policiesOver(
  object: KubeObject,
  cluster: { readonly client: Pick<KubeClient, 'get' | 'list'> },
): Promise<readonly SuspendPolicy[] | undefined> {
  const governed = governedObject(object);
  if (governed === undefined || governed.untouchable !== undefined) return [];
  const { namespace } = governed;
  try {
    const lists = policyResources.map((resource) => listed(cluster, resource, namespace));
    const policies = (await Promise.all(lists)).flat() as unknown as readonly SuspendPolicy[];
    const isPlaced = policies.every(({ kind }) => kind === resources.SuspendPolicy.kind);
    const place = isPlaced
      ? undefined
      : await cluster.client.get(resources.Namespace, { namespace: '', name: namespace });
    const labelsOf = () => place?.metadata.labels ?? {};
    return policies
      .filter(takesPart)
      .filter((policy) => selects(policy, governed, { labelsOf, exempt: [] }));
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return undefined;
    throw error;
  }
}
