/** The bridge as a process: settings from the environment, probes and metrics over HTTP. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { errorClassOf, MillraceError } from '#shared/domain/errors.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { readConfiguration } from '#shared/runtime/configuration.ts';
import { createHttpMetrics } from '#shared/runtime/http-metrics.ts';
import { createHttpServer } from '#shared/runtime/http-server.ts';
import { registerProbes } from '#shared/runtime/probes.ts';
import { defaultLimits } from '#shared/runtime/service-limits.ts';
import { shutDownOnSignal } from '#shared/runtime/shutdown.ts';
import { systemClock } from '#shared/runtime/system-clock.ts';
import { createLogger, createRegistry, type Logger } from '#shared/runtime/telemetry.ts';
import { type Bridge, createBridge, type Leadership } from './bridge.ts';
import { leaseLeadership } from './leadership.ts';
import { type BridgeSettings, bridgeSettings } from './settings.ts';

const { version } = packageJson;
const retryStartMs = 2_000;

try {
  await start(readConfiguration(bridgeSettings, process.env));
} catch (error) {
  const told = error instanceof MillraceError;
  process.stderr.write(
    `error: ${told ? `${error.message}\nnext: ${error.next}` : String(error)}\n`,
  );
  process.exit(1);
}

async function start(settings: BridgeSettings): Promise<void> {
  const { logLevel, logFormat, redisUrl, host, port, drainSeconds, sweepSeconds } = settings;
  const logger = await createLogger({
    name: 'bridge',
    version,
    level: logLevel,
    format: logFormat,
    destination: process.stdout,
  });
  const connection = await loadConnection(whereTheClusterIs(settings));
  const client = new HttpKubeClient({ connection, userAgent: userAgentOf(version, 'bridge') });
  const registry = createRegistry();
  const redis = { url: redisUrl, log: logger };
  const [queue, journal] = [createBullmqQueue(redis), createRedisJournal(redis)];
  const stopping = new AbortController();
  let bridge: Bridge | undefined;
  const server = await createHttpServer({
    logger,
    limits: defaultLimits,
    metrics: createHttpMetrics(registry),
  });
  registerProbes(server, {
    registry,
    isDraining: () => stopping.signal.aborted,
    notReady: () => (bridge?.synced === true ? undefined : 'the first list is not complete yet'),
  });
  const running = run();
  await server.listen({ host, port });
  logger.info({ cluster: connection.describe }, 'bridge started');
  shutDownOnSignal({ process, logger, deadlineMs: drainSeconds * 1_000, stop });
  running.catch((error: unknown) => {
    logger.fatal({ err: error }, 'bridge failed');
    process.exit(1);
  });

  async function run(): Promise<void> {
    const uid = await clusterUidOnceReachable(client, logger, stopping.signal);
    if (uid === undefined) return;
    const leadership = leadershipFor(settings, client, logger);
    bridge = createBridge({
      client,
      journal,
      queue,
      clusterUid: uid,
      logger,
      metrics: registry,
      clock: systemClock,
      random: Math.random,
      times: { sweepMs: sweepSeconds * 1_000 },
      ...(leadership === undefined ? {} : { leadership }),
    });
    await bridge.run(stopping.signal);
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await running;
    await server.close();
    await Promise.all([queue.close(), journal.close(), connection.close()]);
  }
}

function whereTheClusterIs({ kubeconfig }: BridgeSettings): Parameters<typeof loadConnection>[0] {
  const host = process.env['KUBERNETES_SERVICE_HOST'];
  const port = process.env['KUBERNETES_SERVICE_PORT'];
  return {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(host === undefined || port === undefined ? {} : { inCluster: { host, port } }),
  };
}

function leadershipFor(
  { namespace, identity = 'bridge' }: BridgeSettings,
  client: KubeClient,
  logger: Logger,
): Leadership | undefined {
  if (namespace === undefined) return undefined;
  return leaseLeadership({
    client,
    lease: { namespace, name: 'millrace-bridge' },
    identity: `${identity}_${randomUUID()}`,
    clock: systemClock,
    random: Math.random,
    logger,
  });
}

/** A bridge that starts before its API server waits for it. Undefined when told to stop meanwhile. */
async function clusterUidOnceReachable(
  client: KubeClient,
  logger: Logger,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      return await clusterUid(client);
    } catch (error) {
      if (errorClassOf(error) !== 'retryable') throw error;
      logger.warn({ err: error }, 'waiting for the API server');
      await sleep(retryStartMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
