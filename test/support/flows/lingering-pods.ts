/**
 * Pods that stay in deletion for as long as a test needs. kwok kills at once, so they are never
 * bound to a node, and a finalizer keeps them.
 */
import type { FlowWorld } from '../flow-world.ts';
import { podsOf, type PodObject } from './batch-objects.ts';
import { ApiRefusal } from './cluster-api.ts';
import type { Work } from './flow-manifest.ts';

const gate = 'test.millrace.dev/hold';
const finalizer = 'test.millrace.dev/linger';

/** Two indexed Pods, of which one success is enough. Neither runs before `admitOnePod`. */
export const lingeringWork: Work = {
  job: {
    completionMode: 'Indexed',
    completions: 2,
    parallelism: 2,
    successPolicy: { rules: [{ succeededCount: 1 }] },
  },
  pod: { schedulingGates: [{ name: gate }] },
  podMetadata: { finalizers: [finalizer] },
};

/** A Pod that never starts and outlives its Job until `releasePods`. */
export const heldWork: Work = {
  pod: { schedulingGates: [{ name: gate }] },
  podMetadata: { finalizers: [finalizer] },
};

/** Lets the first index run. The other one becomes superfluous and stays in deletion. */
export async function admitOnePod(world: FlowWorld, jobName: string): Promise<void> {
  const pods = await world.until(`both Pods of ${jobName} exist`, () => {
    const found = world.pods(jobName);
    return found.length === 2 ? found : undefined;
  });
  const name = pods[0]!.metadata.name;
  await world.patch('Pod', name, { spec: { schedulingGates: null } });
}

/** Releases the Pods of this Job that stay in deletion. */
export async function releasePods(world: FlowWorld, jobName: string): Promise<void> {
  const { items } = await world.api.list('Pod', world.namespace);
  await Promise.all(
    podsOf(items as readonly PodObject[], jobName).map((pod) => release(world, pod.metadata.name)),
  );
}

/** The Job controller edits the same list, so the resourceVersion protects its change. */
async function release(world: FlowWorld, name: string): Promise<void> {
  for (;;) {
    const pod = await world.api.get('Pod', { namespace: world.namespace, name });
    if (pod === undefined) return;
    const { resourceVersion, finalizers = [] } = pod.metadata;
    const rest = finalizers.filter((entry) => entry !== finalizer);
    try {
      await world.patch('Pod', name, { metadata: { resourceVersion, finalizers: rest } });
      return;
    } catch (error) {
      const isStale = error instanceof ApiRefusal && (error.code === 409 || error.code === 404);
      if (!isStale) throw error;
    }
  }
}
