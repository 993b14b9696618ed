/** Kueue in `millrace up`: the kinds of its simulation, and a first queue. */
import {
  apiVersionOf,
  type JsonObject,
  type NewObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { kueueDefinitions } from '#sandbox';
import { applyDefinitions, createMissing } from './served-objects.ts';

const cpu = 4;
const memory = '8Gi';

/** Text for the banner. */
export const startingQueue = `LocalQueue main in default, ClusterQueue main with ${cpu} CPU and ${memory}`;

const { LocalQueue, ResourceFlavor } = resources;
const clusterQueue = { ...ResourceFlavor, plural: 'clusterqueues', kind: 'ClusterQueue' };
const flavor = { name: 'default-flavor' };
const main = { name: 'main' };

/** Existing objects stay as they are. */
export async function installKueue(client: KubeClient): Promise<void> {
  await applyDefinitions(client, kueueDefinitions);
  const quota = { cpu: String(cpu), memory };
  const offered = Object.entries(quota).map(([name, nominalQuota]) => ({ name, nominalQuota }));
  const create = (resource: Resource, metadata: NewObject['metadata'], spec: JsonObject) => {
    const { kind } = resource;
    const object = { apiVersion: apiVersionOf(resource), kind, metadata, spec };
    return createMissing(client, resource, object);
  };
  await create(ResourceFlavor, flavor, {});
  await create(clusterQueue, main, {
    namespaceSelector: {},
    preemption: { withinClusterQueue: 'LowerPriority' },
    resourceGroups: [
      { coveredResources: Object.keys(quota), flavors: [{ ...flavor, resources: offered }] },
    ],
  });
  await create(LocalQueue, { ...main, namespace: 'default' }, { clusterQueue: main.name });
}
