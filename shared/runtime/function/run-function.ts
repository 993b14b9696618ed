import { hostname } from 'node:os';
import type { Static } from 'typebox';
import { ClusterClock } from '#shared/kube/cluster-clock.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { createApiMetrics } from '../process/api-metrics.ts';
import { exposeClock } from '../process/clock-metrics.ts';
import { connectByConfiguration } from '../process/cluster-connection.ts';
import { openDeliveryKeys, requireKeyBeyondLoopback } from './delivery-keys.ts';
import { createFunctionMetrics } from './function-metrics.ts';
import { createFunctionService } from './function-service.ts';
import { openFunctionStores } from './function-stores.ts';
import { readsOver } from './function-reads.ts';
import { createItemProcessor } from './process-item.ts';
import { policyOf } from '../process/policy-setting.ts';
import { runMain, type Started } from '../process/run-main.ts';
import { systemClock } from '../process/system-clock.ts';
import { createRegistry, type Logger } from '../process/telemetry.ts';
import { openSpans } from '../traces/open-spans.ts';
import { tracedProcess } from './traced-process.ts';
import { trustBy } from './trust.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { EventFunction } from './event-function.ts';
import { configurationOf, type functionConfiguration } from './function-configuration.ts';

const { version } = packageJson;

type Settings = Static<typeof functionConfiguration>;

/**
 * Runs a function as a service; `--help` lists its settings. Returns when the service has ended.
 */
export async function runFunction<Snapshot>(fn: EventFunction<Snapshot>): Promise<void> {
  await runMain({
    process,
    name: fn.subscription.name,
    version,
    schema: configurationOf(fn),
    start: (settings, logger) =>
      start(fn.configurable?.configuredBy(settings) ?? fn, settings, logger),
  });
}

async function start<Snapshot>(
  fn: EventFunction<Snapshot>,
  settings: Settings,
  logger: Logger,
): Promise<Started> {
  const { subscription } = fn;
  const registry = createRegistry();
  const keys = await openDeliveryKeys(settings, logger);
  requireKeyBeyondLoopback(settings, keys);
  const connection = await connectByConfiguration(settings);
  const clock = new ClusterClock({ own: systemClock, logger });
  exposeClock(registry, clock);
  const client = new HttpKubeClient({
    connection,
    namespace: settings.servedNamespace,
    userAgent: userAgentOf(version, subscription.name),
    onRequest: createApiMetrics(registry),
    onServerTime: (time) => clock.hear(time),
  });
  const stores = await openFunctionStores(settings, client, keys, logger);
  const name = subscription.name;
  const spans = await openSpans({ settings, name, version, logger, registry });
  const reads = readsOver({ subscription, client, clock, logger, views: stores?.views });
  const processor = createItemProcessor({
    fn: keys === undefined ? fn : (fn.withKeys?.(keys.current) ?? fn),
    ...reads,
    ...(stores === undefined ? {} : { journal: stores.journal }),
    clock,
    policy: policyOf(settings),
    trust: trustBy({
      trustNamespaces: settings.trustNamespaces,
      own: connection.podNamespace,
      served: settings.servedNamespace,
    }),
    logger,
    metrics: createFunctionMetrics(registry),
    instance: hostname(),
    version,
  });
  const service = await createFunctionService({
    subscription,
    reader: reads.reader,
    logger,
    registry,
    ...(keys === undefined ? {} : { authentication: { keys, clock: systemClock } }),
    limits: { maxInFlight: settings.maxInFlight, drainMs: settings.drainSeconds * 1000 },
    process: spans === undefined ? processor : tracedProcess(processor, spans, systemClock),
  });
  const url = await service.listen({ host: settings.host, port: settings.port });
  logger.info({ cluster: connection.describe }, 'connected');
  const stop = async (): Promise<void> => {
    await service.drain();
    keys?.close();
    await Promise.all([stores?.close(), spans?.close(), connection.close()]);
  };
  return { url, stop };
}
