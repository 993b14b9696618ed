/** flow-advance as a service: `node functions/flow-advance/main.ts`, `--help` lists its settings. */
import { hostname } from 'node:os';
import type { Static } from 'typebox';
import type { Journal } from '#shared/journal/journal.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { ClusterClock } from '#shared/kube/cluster-clock.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { createApiMetrics } from '#shared/runtime/api-metrics.ts';
import { exposeClock } from '#shared/runtime/clock-metrics.ts';
import { connectByConfiguration } from '#shared/runtime/cluster-connection.ts';
import { openDeliveryKeys, requireKeyBeyondLoopback } from '#shared/runtime/delivery-keys.ts';
import { firstContact } from '#shared/runtime/first-contact.ts';
import { createFunctionMetrics } from '#shared/runtime/function-metrics.ts';
import { createFunctionService } from '#shared/runtime/function-service.ts';
import { createItemProcessor } from '#shared/runtime/process-item.ts';
import { runMain, type Started } from '#shared/runtime/run-main.ts';
import { systemClock } from '#shared/runtime/system-clock.ts';
import { createRegistry, type Logger } from '#shared/runtime/telemetry.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { configuration } from './configuration.ts';
import { flowAdvance } from './function.ts';

const { version } = packageJson;

async function start(settings: Static<typeof configuration>, logger: Logger): Promise<Started> {
  const registry = createRegistry();
  const keys = await openDeliveryKeys(settings, logger);
  requireKeyBeyondLoopback(settings, keys);
  const connection = await connectByConfiguration(settings);
  const clock = new ClusterClock({ own: systemClock, logger });
  exposeClock(registry, clock);
  const client = new HttpKubeClient({
    connection,
    userAgent: userAgentOf(version, flowAdvance.name),
    onRequest: createApiMetrics(registry),
    onServerTime: (time) => clock.hear(time),
  });
  const reader = apiReader(client);
  const journal = await openJournal(settings, client, logger);
  const service = await createFunctionService({
    fn: flowAdvance,
    reader,
    logger,
    registry,
    ...(keys === undefined ? {} : { authentication: { keys, clock: systemClock } }),
    limits: { maxInFlight: settings.maxInFlight, drainMs: settings.drainSeconds * 1000 },
    process: createItemProcessor({
      fn: flowAdvance,
      client,
      reader,
      ...(journal === undefined ? {} : { journal }),
      clock,
      gates: {},
      logger,
      metrics: createFunctionMetrics(registry),
      instance: hostname(),
      version,
    }),
  });
  const url = await service.listen({ host: settings.host, port: settings.port });
  logger.info({ cluster: connection.describe }, 'connected');
  const stop = async (): Promise<void> => {
    await service.drain();
    keys?.close();
    await Promise.all([journal?.close(), connection.close()]);
  };
  return { url, stop };
}

/** Waits for the API server, which says whose journal it is. Without a URL nothing is loaded, nor asked. */
async function openJournal(
  { redisUrl: url, redisInsecure: insecure }: Static<typeof configuration>,
  client: KubeClient,
  log: Logger,
): Promise<Journal | undefined> {
  if (url === undefined) {
    log.warn('REDIS_URL is not set: decisions are not recorded');
    return undefined;
  }
  const { requireSecureRedis } = await import('#shared/redis/transport.ts');
  requireSecureRedis(url, insecure);
  const { createRedisJournal } = await import('#shared/journal/redis-journal.ts');
  // A signal meanwhile ends the process: nothing is under way yet.
  const uid = await firstContact(client, log, new AbortController().signal);
  if (uid === undefined) return undefined;
  return createRedisJournal({ url, insecure, log, prefix: redisPrefix(uid) });
}

await runMain({ process, name: flowAdvance.name, version, schema: configuration, start });
