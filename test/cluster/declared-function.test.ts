import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { describeRoster, type Place } from '#test/functions/describe-roster.ts';
import { apart, inProcess, type Serve } from '#test/functions/serve.ts';
import { freshNamespace, openClient } from '#test/support/cluster-client.ts';
import { describeWithCluster } from '#test/support/require.ts';

const ways: readonly (readonly [string, Serve])[] = [
  ['in one process', inProcess],
  ['apart', apart],
];

describeWithCluster('on the API server, with Redis', (cluster) => {
  const open = async (): Promise<Place> => {
    const { client, connection } = await openClient(cluster.kubeconfig, 'roster-test');
    const namespace = await freshNamespace(client, 'roster');
    const log = { warn: () => undefined, info: () => undefined, debug: () => undefined };
    const redis = { url: cluster.redisUrl, insecure: false, log, prefix: namespace };
    const queue = createBullmqQueue(redis);
    const journal = createRedisJournal(redis);
    const close = async (): Promise<void> => {
      await Promise.all([queue.close(), journal.close()]);
      await connection.close();
    };
    return { client, namespace, queue, journal, close };
  };
  for (const [way, serve] of ways) {
    describeRoster(`a function over a kind of its own, ${way}`, serve, open);
  }
});
