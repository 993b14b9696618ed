import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import packageJson from '../../../package.json' with { type: 'json' };
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { ClusterClock } from '#shared/kube/cluster-clock.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import type { Connection } from '#shared/kube/connection.ts';
import { HttpKubeClient, type TransportOptions, userAgentOf } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { requireRedis } from '#shared/redis/first-answer.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { requireSecureRedis } from '#shared/redis/transport.ts';
import { createApiMetrics } from '#shared/runtime/process/api-metrics.ts';
import { exposeClock } from '#shared/runtime/process/clock-metrics.ts';
import { createHealthService, type HealthService } from '#shared/runtime/http/health-service.ts';
import { createLogger, createRegistry, type Logger } from '#shared/runtime/process/telemetry.ts';
import { defaultPolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { createEventPost, type EventPost } from '#functions/bridge/event-post.ts';
import { leaseLeadership } from '#functions/bridge/leadership.ts';
import { leaseName } from '#functions/bridge/watch-set.ts';
import { functions as everyFunction } from '#functions/list.ts';
import { type ClientOf, composeMillrace, type Millrace, type MillraceParts } from '../compose.ts';
import { clientPerComponent } from '../client-per-component.ts';
import { type Hosted, hostedBy } from '../hosted-settings.ts';
import { releaseMemoryWhenQuiet } from '../release-memory.ts';
import { requireCrds } from '../require-crds.ts';
import { requireRights } from '../require-rights.ts';
import type { Webhooks } from '../webhooks/start-webhooks.ts';
import type { RunOptions } from './run-options.ts';

/** Running flows are written about once a second. After this time without a request, few are running. */
const quietMs = 1_000;

export interface StartOptions {
  readonly clientOf: ClientOf;
  /** The functions to serve. Default: all functions of Millrace. */
  readonly functions?: MillraceParts['functions'];
  readonly redisUrl: string;
  /** Whether a Redis beyond this machine may be reached without TLS. Default false. */
  readonly redisInsecure?: boolean;
  readonly logger: Logger;
  readonly concurrency: number;
  /** Port of health and metrics. 0: any free port. */
  readonly port: number;
  /** The clock by which decisions are made. Default: that of the machine. */
  readonly clock?: WaitingClock;
  /** Default: a new one. */
  readonly registry?: Registry;
  /** The only namespace to serve. Absent: all namespaces. */
  readonly namespace?: string;
  /** Whether Jobs are created without a recorded submitter (see compose.ts). */
  readonly trustNamespaces: boolean;
  /** Policy for the Pods of created Jobs. Absent: nothing is refused. */
  readonly policy?: PodPolicy;
  /** Receives events about changes of state. Absent: none are sent. */
  readonly eventsTo?: URL;
  /** Namespace of the Lease that elects one of several bridges. Absent: this bridge always publishes. */
  readonly leaseNamespace?: string;
}

export interface StartedMillrace {
  /** Address of health and metrics. */
  readonly url: string;
  readonly millrace: Millrace;
  /** Rejects if the process has to be restarted. Resolves after `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * `millrace run`: runs until a signal, or until it is stuck. Throws the findings of the start-up checks within 15 s.
 * The parts that have started by then are closed in reverse order.
 */
export async function run(options: RunOptions): Promise<void> {
  const { redis: redisUrl, redisInsecure = false, concurrency, port } = options;
  const { namespace, leaseNamespace, eventsTo } = options;
  requireSecureRedis(redisUrl, redisInsecure);
  const hosted = await hostedBy(options, process.env);
  await using parts = new AsyncDisposableStack();
  const logger = await loggerFor(options);
  const connection = parts.adopt(await openConnection(options), (opened) => opened.close());
  await requireSurroundings(connection, options);
  const registry = createRegistry();
  const clock = new ClusterClock({ own: systemClock, logger });
  const measure = createApiMetrics(registry);
  const memory = parts.adopt(releaseMemoryWhenQuiet(quietMs), (opened) => opened.end());
  exposeClock(registry, clock);
  const hooks: Partial<TransportOptions> = {
    onRequest: (report) => {
      measure(report);
      memory.worked();
    },
    onServerTime: (time) => clock.hear(time),
  };
  const clientOf = clientPerComponent((component) => {
    const userAgent = userAgentOf(packageJson.version, component);
    return new HttpKubeClient({ connection, userAgent, ...hooks });
  });
  const millrace = await startMillrace({
    ...{ clientOf, clock, logger, registry, redisUrl, redisInsecure, concurrency, port },
    functions: hosted.functions,
    policy: options.policy ?? defaultPolicy,
    trustNamespaces: !options.webhooks,
    ...(namespace === undefined ? {} : { namespace }),
    ...(leaseNamespace === undefined ? {} : { leaseNamespace }),
    ...(eventsTo === undefined ? {} : { eventsTo }),
  });
  const started = parts.adopt(millrace, (opened) => opened.stop());
  const webhooks = await webhooksFor(options, hosted, {
    ...{ connection, clientOf, logger, registry },
  });
  parts.defer(() => webhooks?.stop());
  stopOnSignal(started, logger);
  logger.info({ cluster: connection.server, redis: hostOf(redisUrl) }, 'starting');
  void whenSynced(started.millrace).then(() =>
    logger.info({ probes: started.url }, 'ready: flows are being served'),
  );
  await started.ended;
}

/** If the API server does not answer a start-up check within this time, it counts as unreachable. */
const firstAnswerMs = 5_000;

/** Finds faults that waiting cannot correct, before anything starts that would retry for ever. */
async function requireSurroundings(
  connection: Connection,
  { redis: url, redisInsecure: insecure = false, namespace }: RunOptions,
): Promise<void> {
  const userAgent = userAgentOf(packageJson.version, 'run');
  const client = new HttpKubeClient({ connection, userAgent, timeoutMs: firstAnswerMs });
  const cluster = requireRights(client, namespace).then(() => requireCrds(client, namespace));
  await Promise.all([cluster, requireRedis({ url, insecure })]);
}

/** The modules of the admissions are loaded only if they are wanted. */
async function webhooksFor(
  { webhooks, policy = defaultPolicy, namespace, redis: url, redisInsecure = false }: RunOptions,
  { admissions: settings }: Hosted,
  parts: {
    readonly connection: Connection;
    readonly clientOf: ClientOf;
    readonly logger: Logger;
    readonly registry: Registry;
  },
): Promise<Webhooks | undefined> {
  if (!webhooks) return undefined;
  const { webhooksOfRun } = await import('../webhooks/webhooks-of-run.ts');
  const { connection, clientOf, registry } = parts;
  return webhooksOfRun({
    ...{ registry, policy, settings, server: connection.server },
    client: clientOf('flow-admission'),
    logger: parts.logger.child({ part: 'flow-admission' }),
    reviewsIn: { url, insecure: redisInsecure },
    ...(namespace === undefined ? {} : { namespace }),
  });
}

/** Everything of `millrace run` except signals, webhooks and the earlier checks. */
export async function startMillrace(options: StartOptions): Promise<StartedMillrace> {
  const { clientOf, redisUrl: url, redisInsecure: insecure = false } = options;
  const { logger, namespace, concurrency, policy, functions = everyFunction } = options;
  const { trustNamespaces } = options;
  const registry = options.registry ?? createRegistry();
  await using parts = new AsyncDisposableStack();
  let composed: Millrace | undefined = undefined;
  const notReady = (): string | undefined =>
    composed === undefined ? 'it has not started yet' : composed.bridge.notReady();
  // First, so that a busy port ends the start before anything else is opened.
  const health = parts.adopt(await createHealthService({ logger, registry, notReady }), (opened) =>
    opened.close(),
  );
  const address = await listen(health, options.port);
  const uid = await clusterUid(clientOf('bridge'));
  const redis = { url, insecure, log: logger, prefix: redisPrefix(uid) };
  const queue = parts.adopt(createBullmqQueue(redis), (opened) => opened.close());
  const journal = parts.adopt(createRedisJournal(redis), (opened) => opened.close());
  const stateSink = parts.adopt(stateSinkAt(options.eventsTo), (opened) => opened?.close());
  const millrace = composeMillrace({
    ...{ functions, clientOf, queue, journal, logger, concurrency, trustNamespaces },
    clusterUid: uid,
    clock: options.clock ?? systemClock,
    random: Math.random,
    metrics: registry,
    version: packageJson.version,
    instance: hostname(),
    ...(namespace === undefined ? {} : { namespace }),
    ...(policy === undefined ? {} : { policy }),
    ...(stateSink === undefined ? {} : { stateSink }),
    ...leadershipBy(options),
  });
  composed = millrace;
  const stopping = new AbortController();
  const running = parts.move();
  const runToItsEnd = async () => {
    try {
      await millrace.run(stopping.signal);
    } finally {
      await running.disposeAsync();
    }
  };
  const ended = runToItsEnd();
  const stop = async () => {
    health.drain();
    stopping.abort();
    // `ended` reports this error.
    await ended.catch(() => undefined);
  };
  return { url: address, millrace, ended, stop };
}

function stateSinkAt(url: URL | undefined): EventPost | undefined {
  return url && createEventPost({ url, extensions: {} });
}

async function listen(health: HealthService, port: number): Promise<string> {
  try {
    return await health.listen({ port, host: '127.0.0.1' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause;
    throw new MillraceError('MR_PORT_IN_USE', { port }, { cause });
  }
}

function leadershipBy({ leaseNamespace, clientOf, logger }: StartOptions) {
  if (leaseNamespace === undefined) return {};
  const leadership = leaseLeadership({
    client: clientOf('bridge'),
    lease: { namespace: leaseNamespace, name: leaseName },
    identity: `${hostname()}-${randomUUID()}`,
    clock: systemClock,
    random: Math.random,
    logger,
  });
  return { leadership };
}

/** Resolves when every kind has been listed and published once. */
async function whenSynced({ bridge }: Millrace): Promise<void> {
  while (!bridge.synced) await sleep(50, undefined, { ref: false });
}

/** Leaves out user and password. */
function hostOf(redisUrl: string): string {
  return URL.canParse(redisUrl) ? new URL(redisUrl).host : redisUrl;
}

function openConnection({ kubeconfig, context }: RunOptions): Promise<Connection> {
  const host = process.env['KUBERNETES_SERVICE_HOST'];
  const port = process.env['KUBERNETES_SERVICE_PORT'];
  const file = kubeconfig ?? process.env['KUBECONFIG'];
  return loadConnection({
    ...(file === undefined || file === '' ? {} : { kubeconfig: file }),
    ...(context === undefined ? {} : { context }),
    ...(host === undefined || port === undefined ? {} : { inCluster: { host, port } }),
  });
}

function loggerFor({ logFormat, verbose }: RunOptions): Promise<Logger> {
  return createLogger({
    name: 'millrace',
    version: packageJson.version,
    level: verbose === true ? 'debug' : 'info',
    format: logFormat === 'json' || logFormat === 'pretty' ? logFormat : 'auto',
    destination: process.stderr,
  });
}

/** The first signal stops cleanly, a second one at once. */
function stopOnSignal(started: StartedMillrace, logger: Logger): void {
  let signals = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.exit(130);
      logger.info({ signal }, 'stopping');
      void started.stop().catch(() => undefined);
    });
  }
}
