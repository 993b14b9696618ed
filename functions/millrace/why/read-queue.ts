/** The queue of the cluster, where it can be reached: that of its `millrace up`, or the Redis that is named. */
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import type { OpenedCluster } from '../open-cluster.ts';
import { askControl } from '../up/ask-control.ts';
import { type FunctionQueue, queueReport } from '../up/queue-report.ts';
import type { WhyOptions } from './why-options.ts';

/** Undefined: no queue was named and none is known. Throws CommandFailure and MR_QUEUE_UNAVAILABLE. */
export async function readQueue(
  { redis: url, redisInsecure: insecure = false }: WhyOptions,
  { client, connection, control }: OpenedCluster,
): Promise<readonly FunctionQueue[] | undefined> {
  if (url === undefined) {
    if (control === undefined) return undefined;
    const answer = await askControl(control, connection)('/queue');
    return (await answer.json()) as readonly FunctionQueue[];
  }
  // Costs a third of a second: only where there is a Redis.
  const [{ createBullmqQueue }, { requireRedis }, { redisPrefix }, { silentLog }] =
    await Promise.all([
      import('#shared/queue/bullmq-queue.ts'),
      import('#shared/redis/first-answer.ts'),
      import('#shared/redis/key-prefix.ts'),
      import('#shared/redis/log.ts'),
    ]);
  await requireRedis({ url, insecure });
  const prefix = redisPrefix(await clusterUid(client));
  const queue = createBullmqQueue({ url, insecure, prefix, log: silentLog });
  try {
    return await queueReport(queue);
  } finally {
    await queue.close();
  }
}
