/** The product beside a real Kueue. Each part is a process that can be killed. */
import { startCluster } from '../cluster-parts.ts';
import { ClusterApi } from '../flows/cluster-api.ts';
import { obtainKueue } from '../kueue/program.ts';
import { type Kueue, startKueue } from '../kueue/start.ts';
import { reportProgress } from '../part-unavailable.ts';
import { startRedis } from '../redis.ts';
import type { PartFault, Parts } from './part-faults.ts';
import { startSplitProcesses } from './product-processes.ts';

export interface QueuedProduct {
  readonly parts: Parts;
  /** As admin. */
  readonly api: ClusterApi;
  readonly kueue: Kueue;
}

/** Everything that it starts is stopped with the stack. */
export async function startQueuedProduct(stack: AsyncDisposableStack): Promise<QueuedProduct> {
  const program = await obtainKueue(reportProgress);
  const [cluster, redis] = await Promise.all([
    startCluster(() => undefined),
    startRedis({ persistence: true }),
  ]);
  stack.defer(() => cluster.stop());
  stack.defer(() => redis.stop());
  const { server, caFile, adminToken: token } = cluster;
  const api = new ClusterApi({ server, caFile, token });
  stack.defer(() => api.close());
  const kueue = await startKueue({ cluster, program });
  stack.defer(() => kueue.stop());
  const product = await startSplitProcesses(cluster, redis);
  stack.defer(() => product.stop());
  return { parts: { cluster, redis, product }, api, kueue };
}

export function kueueKilled(kueue: () => Kueue): PartFault {
  return {
    name: 'SIGKILL of Kueue',
    take: () => kueue().kill(),
    bringBack: () => kueue().start(),
  };
}
