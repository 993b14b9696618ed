/** The bridge as its own process: `npx node functions/bridge/main.ts`. `--help` lists its settings. */
import { randomUUID } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };
import { subscriptions } from '#functions/list.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { ClusterClock } from '#shared/kube/cluster-clock.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { requireSecureRedis } from '#shared/redis/transport.ts';
import { openDeliveryKeys } from '#shared/runtime/function/delivery-keys.ts';
import { createRedisViews } from '#shared/views/redis-views.ts';
import { createSeal } from '#shared/views/seal.ts';
import { createApiMetrics } from '#shared/runtime/process/api-metrics.ts';
import { exposeClock } from '#shared/runtime/process/clock-metrics.ts';
import { connectByConfiguration } from '#shared/runtime/process/cluster-connection.ts';
import { firstContact } from '#shared/runtime/process/first-contact.ts';
import { runBesideHealth } from '#shared/runtime/http/run-beside-health.ts';
import { redisAddressOf } from '#shared/runtime/process/redis-address.ts';
import { runMain, type Started } from '#shared/runtime/process/run-main.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createRegistry, type Logger } from '#shared/runtime/process/telemetry.ts';
import { openSpans } from '#shared/runtime/traces/open-spans.ts';
import { type Bridge, createBridge, type Leadership } from './bridge.ts';
import { configuration, type BridgeSettings } from './configuration.ts';
import { leaseLeadership } from './leadership.ts';
import { createEventPost } from './event-post.ts';
import { createSink } from './sink.ts';
import { sinksOf } from './sink-settings.ts';
import { tracedJournal } from './traced-journal.ts';
import { leaseName } from './watch-set.ts';

const decided = new Map(subscriptions.map(({ name, decides }) => [name, decides]));

async function start(settings: BridgeSettings, logger: Logger): Promise<Started> {
  const { redisUrl, redisInsecure } = settings;
  requireSecureRedis(redisUrl, redisInsecure);
  const sinks = sinksOf(settings);
  const registry = createRegistry();
  const keys = await openDeliveryKeys(settings, logger);
  const { version } = packageJson;
  const spans = await openSpans({ settings, name: 'bridge', version, logger, registry });
  const connection = await connectByConfiguration(settings);
  const clock = new ClusterClock({ own: systemClock, logger });
  exposeClock(registry, clock);
  const client = new HttpKubeClient({
    connection,
    namespace: settings.servedNamespace,
    userAgent: userAgentOf(packageJson.version, 'bridge'),
    onRequest: createApiMetrics(registry),
    onServerTime: (time) => clock.hear(time),
  });
  let bridge: Bridge | undefined;
  const run = async (signal: AbortSignal): Promise<void> => {
    const uid = await firstContact(client, logger, signal);
    if (uid === undefined) return;
    const prefix = redisPrefix(uid);
    const redis = { ...redisAddressOf(redisUrl, settings), log: logger, prefix };
    await using stores = new AsyncDisposableStack();
    const queue = stores.adopt(
      sinks.work === undefined
        ? createBullmqQueue(redis)
        : createSink({ ...sinks.work, decided, logger, clock: systemClock }),
      (opened) => opened.close(),
    );
    const journal = stores.adopt(createRedisJournal(redis), (opened) => opened.close());
    const storedViews = keys && {
      store: stores.adopt(createRedisViews(redis), (opened) => opened.close()),
      seal: createSeal(keys.current, uid),
      newSession: randomUUID,
    };
    const stateSink =
      sinks.states && stores.adopt(createEventPost(sinks.states), (opened) => opened.close());
    bridge = createBridge({
      subscriptions,
      ...(storedViews === undefined ? {} : { storedViews }),
      ...(stateSink === undefined ? {} : { stateSink }),
      client,
      journal: spans === undefined ? journal : tracedJournal(journal, spans, systemClock),
      queue,
      clusterUid: uid,
      logger,
      metrics: registry,
      clock,
      random: Math.random,
      times: { sweepMs: settings.sweepSeconds * 1_000 },
      ...leadershipBy(settings, client, logger),
    });
    await bridge.run(signal);
  };
  const { host, port } = settings;
  return runBesideHealth({
    ...{ host, port, logger, registry, run },
    notReady: () => (bridge === undefined ? 'no contact with the API server' : bridge.notReady()),
    close: async () => {
      keys?.close();
      await Promise.all([spans?.close(), connection.close()]);
    },
  });
}

function leadershipBy(
  { leaseNamespace, identity }: BridgeSettings,
  client: KubeClient,
  logger: Logger,
): { readonly leadership?: Leadership } {
  if (leaseNamespace === undefined) return {};
  const leadership = leaseLeadership({
    client,
    lease: { namespace: leaseNamespace, name: leaseName },
    identity: `${identity}_${randomUUID()}`,
    clock: systemClock,
    random: Math.random,
    logger,
  });
  return { leadership };
}

await runMain({
  process,
  name: 'bridge',
  version: packageJson.version,
  schema: configuration,
  start,
});
