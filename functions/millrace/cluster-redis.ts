import { clusterUid } from '#shared/kube/cluster-identity.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import type { OpenedCluster } from './open-cluster.ts';

export interface RedisPlace {
  readonly url: string;
  /** On another machine without TLS. */
  readonly insecure: boolean;
}

/** The queue that the processes of this cluster have in a Redis. Throws MR_QUEUE_UNAVAILABLE. */
export async function redisQueue(
  { url, insecure }: RedisPlace,
  client: OpenedCluster['client'],
): Promise<WorkQueue & AsyncDisposable> {
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
  return Object.assign(queue, { [Symbol.asyncDispose]: () => queue.close() });
}
