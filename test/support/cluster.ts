/**
 * Runs `npm run cluster`: a control plane with three nodes and CRDs, and Redis, in the foreground.
 * Prints the lines that configure a shell for them, and ends with a Ctrl-C.
 */
import { type Cluster, startCluster } from './cluster-parts.ts';
import { reportProgress } from './part-unavailable.ts';
import { type Redis, startRedis } from './redis.ts';

const interrupted = new Promise<undefined>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => resolve(undefined));
  }
});

try {
  const parts = await Promise.race([start(), interrupted]);
  if (parts !== undefined) {
    describe(parts);
    await interrupted;
    reportProgress('stopping');
    await Promise.all([parts.cluster.stop(), parts.redis.stop()]);
  }
  // Interrupted during the start: the orphan guards end what was started.
  process.exit(0);
} catch (error) {
  reportProgress(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

interface Parts {
  readonly cluster: Cluster;
  readonly redis: Redis;
}

async function start(): Promise<Parts> {
  const redis = await startRedis({ progress: reportProgress });
  reportProgress(`redis ready: ${redis.url}`);
  const cluster = await startCluster(reportProgress);
  reportProgress(`control plane ready: ${cluster.server}, logs in ${cluster.folder}/logs`);
  return { cluster, redis };
}

function describe({ cluster, redis }: Parts): void {
  process.stdout.write(`export KUBECONFIG=${cluster.adminKubeconfig}\n`);
  process.stdout.write(`export REDIS_URL=${redis.url}\n`);
  reportProgress('Ctrl-C ends it');
}
