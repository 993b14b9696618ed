import type { KubeClient } from '#shared/kube/client.ts';
import { resources } from '#shared/domain/resources.ts';

/**
 * Deletes every policy of the cluster, because other suites leave theirs. Does not wait until held work is resumed.
 */
export async function removePolicies(client: KubeClient): Promise<void> {
  for (const kind of [resources.SuspendPolicy, resources.ClusterSuspendPolicy]) {
    const { items } = await client.list(kind, {});
    for (const { metadata } of items) {
      const name = { namespace: metadata.namespace ?? '', name: metadata.name };
      const patch = { metadata: { finalizers: null } };
      const { metadata: now } = await client.patch(kind, name, patch, { type: 'merge' });
      // A policy in deletion is gone with its last finalizer.
      if (now.deletionTimestamp !== undefined) continue;
      await client.delete(kind, name, { propagation: 'Background' });
    }
  }
}
