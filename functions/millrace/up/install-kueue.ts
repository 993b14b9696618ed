/** Kueue in `millrace up`: the kinds of its stand-in, and a queue to begin with. */
import { hasCode } from '#shared/domain/errors.ts';
import type { JsonObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { kueueDefinitions } from '#sandbox';

const cpu = 4;
const memory = '8Gi';

/** What the banner says of it. */
export const startingQueue = `LocalQueue main in default, ClusterQueue main with ${cpu} CPU and ${memory}`;

const group = 'kueue.x-k8s.io';
const version = 'v1beta2';
const flavor = 'default-flavor';

/** What is there stays as it is. */
export async function installKueue(client: KubeClient): Promise<void> {
  for (const definition of kueueDefinitions) {
    const { name } = definition['metadata'] as { readonly name: string };
    const options = { type: 'apply', fieldManager: 'kubectl', force: true } as const;
    const target = { namespace: '', name };
    await client.patch(resources.CustomResourceDefinition, target, definition, options);
  }
  const quota = { cpu: String(cpu), memory };
  const offered = Object.entries(quota).map(([name, nominalQuota]) => ({ name, nominalQuota }));
  await create(client, 'ResourceFlavor', 'resourceflavors', flavor, {});
  await create(client, 'ClusterQueue', 'clusterqueues', 'main', {
    namespaceSelector: {},
    preemption: { withinClusterQueue: 'LowerPriority' },
    resourceGroups: [
      { coveredResources: Object.keys(quota), flavors: [{ name: flavor, resources: offered }] },
    ],
  });
  await create(client, 'LocalQueue', 'localqueues', 'main', { clusterQueue: 'main' }, 'default');
}

async function create(
  client: KubeClient,
  kind: string,
  plural: string,
  name: string,
  spec: JsonObject,
  namespace?: string,
): Promise<void> {
  const resource: Resource = { group, version, plural, kind, namespaced: namespace !== undefined };
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  try {
    await client.create(resource, { apiVersion: `${group}/${version}`, kind, metadata, spec });
  } catch (error) {
    if (!hasCode(error, 'MR_API_CONFLICT')) throw error;
  }
}
