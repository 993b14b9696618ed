import { clusterUid } from '#shared/kube/cluster-identity.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import type { silentLog } from '#shared/redis/log.ts';
import type { OpenedCluster } from './open-cluster.ts';

export interface RedisPlace {
  readonly url: string;
  /** True: a Redis on another machine may be used without TLS. */
  readonly insecure: boolean;
}

type Redis = RedisPlace & { readonly prefix: string; readonly log: typeof silentLog };

/** Finds the Redis of the cluster's processes and their key prefix. Throws MR_QUEUE_UNAVAILABLE. */
export async function redisOf(
  { url, insecure }: RedisPlace,
  client: OpenedCluster['client'],
): Promise<Redis> {
  // Costs a third of a second, so these modules are loaded only if there is a Redis.
  const [{ requireRedis }, { redisPrefix }, { silentLog: log }] = await Promise.all([
    import('#shared/redis/first-answer.ts'),
    import('#shared/redis/key-prefix.ts'),
    import('#shared/redis/log.ts'),
  ]);
  await requireRedis({ url, insecure });
  return { url, insecure, prefix: redisPrefix(await clusterUid(client)), log };
}

/** The queue of the cluster's processes in this Redis. Throws MR_QUEUE_UNAVAILABLE. */
export async function redisQueue(
  place: RedisPlace,
  client: OpenedCluster['client'],
): Promise<WorkQueue & AsyncDisposable> {
  const [{ createBullmqQueue }, redis] = await Promise.all([
    import('#shared/queue/bullmq-queue.ts'),
    redisOf(place, client),
  ]);
  const queue = createBullmqQueue(redis);
  return Object.assign(queue, { [Symbol.asyncDispose]: () => queue.close() });
}
