/** The dispatcher as its own process: `npx node functions/dispatcher/main.ts`. `--help` lists its settings. */
import { subscriptions } from '#functions/list.ts';
import { isLoopback } from '#shared/domain/loopback.ts';
import type { Uid } from '#shared/domain/objects.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { requireSecureRedis } from '#shared/redis/transport.ts';
import { openDeliveryKeys } from '#shared/runtime/function/delivery-keys.ts';
import { runBesideHealth } from '#shared/runtime/http/run-beside-health.ts';
import { redisAddressOf } from '#shared/runtime/process/redis-address.ts';
import { runMain, type Started } from '#shared/runtime/process/run-main.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createRegistry, type Logger } from '#shared/runtime/process/telemetry.ts';
import { openSpans } from '#shared/runtime/traces/open-spans.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { dispatcherConfiguration, functionUrls, type DispatcherSettings } from './configuration.ts';
import { createHttpDelivery } from './deliver-http.ts';
import { createDispatcherMetrics } from './dispatcher-metrics.ts';
import { createDispatcher } from './dispatcher.ts';
import { clusterFinder } from './find-cluster.ts';
import { tracedDelivery } from './traced-delivery.ts';

const names = subscriptions.map(({ name }) => name);
const decided = new Map(subscriptions.map(({ name, decides }) => [name, decides]));

/** Added to the longest delivery. After that time without progress, something is stuck. */
const noProgressBeyondMs = 15_000;

async function start(settings: DispatcherSettings, logger: Logger): Promise<Started> {
  const registry = createRegistry();
  const urls = functionUrls(names, settings);
  const timeoutMs = settings.deliverySeconds * 1000;
  const { redisUrl, redisInsecure } = settings;
  requireSecureRedis(redisUrl, redisInsecure);
  const findCluster = await clusterFinder(settings, logger);
  const keys = await openDeliveryKeys(settings, logger);
  if (keys === undefined) warnOfUnsigned(urls, logger);
  const delivery = createHttpDelivery({
    ...{ urls, decided, clock: systemClock, timeoutMs },
    ...(keys === undefined ? {} : { keys }),
  });
  const { version } = packageJson;
  const spans = await openSpans({ settings, name: 'dispatcher', version, logger, registry });
  const { deliver } = delivery;
  let cluster: Uid | undefined;
  const run = async (signal: AbortSignal): Promise<void> => {
    cluster = await findCluster(signal);
    if (cluster === undefined) return;
    const prefix = redisPrefix(cluster);
    const redis = { ...redisAddressOf(redisUrl, settings), log: logger, prefix };
    const queue = createBullmqQueue(redis);
    const dispatcher = createDispatcher({
      queue,
      deliver: spans === undefined ? deliver : tracedDelivery(deliver, spans, systemClock),
      concurrency: Object.fromEntries([...urls.keys()].map((name) => [name, settings.concurrency])),
      clock: systemClock,
      random: Math.random,
      logger,
      metrics: createDispatcherMetrics(registry),
      drainMs: settings.drainSeconds * 1000,
      noProgressMs: timeoutMs + noProgressBeyondMs,
    });
    try {
      await dispatcher.run(signal);
    } finally {
      await queue.close();
    }
  };
  const { host, port } = settings;
  return runBesideHealth({
    ...{ host, port, logger, registry, run },
    notReady: () => (cluster === undefined ? 'no contact with the API server' : undefined),
    close: async () => {
      keys?.close();
      await Promise.all([spans?.close(), delivery.close()]);
    },
  });
}

function warnOfUnsigned(urls: ReadonlyMap<string, URL>, logger: Logger): void {
  const beyond = [...urls].flatMap(([name, { hostname }]) => (isLoopback(hostname) ? [] : [name]));
  if (beyond.length === 0) return;
  logger.warn(
    { functions: beyond, next: 'set MILLRACE_DELIVERY_KEY or MILLRACE_DELIVERY_KEY_FILE' },
    'deliveries to other machines are not signed',
  );
}

await runMain({
  process,
  name: 'dispatcher',
  version: packageJson.version,
  schema: dispatcherConfiguration(names),
  start,
});
