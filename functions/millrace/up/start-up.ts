/** `millrace up` without its output: sandbox, HTTP server, queue, journal and all functions. */
import { join } from 'node:path';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import type { Journal } from '#shared/journal/journal.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { createMemoryQueue } from '#shared/queue/memory-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createRegistry, type Logger } from '#shared/runtime/process/telemetry.ts';
import { defaultPolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { KubeletLogs, listen, newToken } from '#sandbox';
import { createEventPost } from '#functions/bridge/event-post.ts';
import type { Hosted } from '../hosted-settings.ts';
import { releaseMemoryWhenQuiet } from '../release-memory.ts';
import { startLocalMillrace } from './compose-local.ts';
import { fasterClock } from './faster-clock.ts';
import { onNextFreePort } from './next-free-port.ts';
import { writeKubeconfig } from './own-kubeconfig.ts';
import { keepState, readKeptState } from './persistence.ts';
import { type LocalCluster, startSandbox } from './start-sandbox.ts';
import { ownFolder, removeStaleRuns, removeState, upFolder, writeState } from './state-folder.ts';

/**
 * Virtual Jobs last a while, and then cause new writes. A burst is over after this time without any, milliseconds.
 */
const quietMs = 3_000;

export interface StartUpOptions {
  readonly port: number;
  /** Number or names of the nodes. */
  readonly nodes: number | readonly string[];
  readonly speed: number;
  readonly persist?: string;
  readonly redis?: string;
  /** Whether a Redis beyond this machine may be reached without TLS. Default false. */
  readonly redisInsecure?: boolean;
  readonly kubeconfigOut?: string;
  readonly runCommands: boolean;
  /** Whether queues of Kueue are served. Default false. */
  readonly kueue?: boolean;
  /** Receives events about changes of state. Absent: none are sent. */
  readonly eventsTo?: URL;
  /** Policy for Pods. Absent: nothing is refused. */
  readonly policy?: PodPolicy;
  /** Whether admission judges submissions. Without it every user with the kubeconfig is trusted. */
  readonly webhooks: boolean;
  /** The settings of functions and admissions. Absent: the defaults. */
  readonly hosted?: Hosted;
  /** Folder of state, kubeconfig and the folders of pods. */
  readonly stateRoot: string;
  readonly logger: Logger;
}

export interface RunningUp {
  readonly server: string;
  readonly port: number;
  readonly kubeconfig: string;
  readonly control: string;
  readonly cluster: LocalCluster;
  /** Rejects with the fault that ended Millrace. Resolves after `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Throws the fault of a part. Parts that have started are closed in reverse order. */
export async function startUp(options: StartUpOptions): Promise<RunningUp> {
  await using stack = new AsyncDisposableStack();
  const running = await start(options, stack);
  const kept = stack.move();
  return { ...running, stop: () => kept.disposeAsync() };
}

async function start(
  options: StartUpOptions,
  stack: AsyncDisposableStack,
): Promise<Omit<RunningUp, 'stop'>> {
  const { logger, speed, persist } = options;
  const clock = fasterClock(systemClock, speed);
  const restored = persist === undefined ? undefined : await readKeptState(persist);
  const runFolder = join(options.stateRoot, `run-${process.pid}`);
  await removeStaleRuns(options.stateRoot);
  if (options.runCommands) stack.defer(() => removeState(runFolder));
  const cluster = await startSandbox({
    ...{ clock, logger, nodes: options.nodes, kueue: options.kueue === true, random: Math.random },
    ...(restored === undefined ? {} : { restored }),
    ...(options.runCommands ? { runCommandsIn: runFolder } : {}),
  });
  stack.defer(() => cluster.stop());
  const { queue, journal } = await storesOf(options, cluster, clock);
  stack.adopt(queue, (opened) => opened.close());
  stack.adopt(journal, (opened) => opened.close());
  const memory = releaseMemoryWhenQuiet(quietMs);
  stack.defer(() => memory.end());
  stack.defer(cluster.store.onChange(() => memory.worked()));
  if (persist !== undefined) {
    const keeper = keepState(persist, cluster.api, (err: unknown) =>
      logger.warn({ err, folder: persist }, 'the state could not be written'),
    );
    stack.defer(() => keeper.close());
  }
  const logs = new KubeletLogs(cluster.runtime, clock);
  const { api } = cluster;
  const token = newToken();
  const certificate = createOwnCertificate(systemClock.now());
  const { listening, port } = await onNextFreePort(options.port, (candidate) =>
    listen({ api, logs, token, certificate, host: '127.0.0.1', port: candidate }),
  );
  stack.defer(() => listening.close());
  const registry = createRegistry();
  // Before any user gets the token: an object that is created earlier would never have a submitter.
  if (options.webhooks) {
    const { startWebhooks } = await import('../webhooks/start-webhooks.ts');
    const { redis: url, redisInsecure: insecure = false } = options;
    const webhooks = await startWebhooks({
      ...{ logger, registry, policy: options.policy ?? defaultPolicy, clock },
      client: cluster.clientOf('flow-admission'),
      ...(options.hosted === undefined ? {} : { settings: options.hosted.admissions }),
      ...(url === undefined ? {} : { reviewsIn: { url, insecure } }),
    });
    stack.defer(() => webhooks.stop());
  }
  const folder = upFolder(options.stateRoot, Number(new URL(listening.url).port));
  stack.defer(() => removeState(folder));
  const kubeconfig = options.kubeconfigOut ?? join(folder, 'kubeconfig');
  await ownFolder(folder);
  await writeKubeconfig(kubeconfig, { url: listening.url, token, cert: certificate.cert });
  const { eventsTo } = options;
  const stateSink =
    eventsTo &&
    stack.adopt(createEventPost({ url: eventsTo, extensions: {} }), (opened) => opened.close());
  const millrace = await startLocalMillrace({
    ...{ queue, journal, clock, speed, logger, registry, random: Math.random },
    ...(options.hosted === undefined ? {} : { functions: options.hosted.functions }),
    clientOf: cluster.clientOf,
    trustNamespaces: !options.webhooks,
    ...(stateSink === undefined ? {} : { stateSink }),
    ...(options.policy === undefined ? {} : { policy: options.policy }),
  });
  stack.defer(() => millrace.stop());
  // The API answers by now. Everything that it does not need is loaded later.
  const { startControlService } = await import('./control-service.ts');
  const control = await startControlService({
    ...{ desk: millrace.desk, invoke: millrace.invoke, journal, queue, logger, registry, token },
    notReady: () => millrace.millrace.bridge.notReady(),
  });
  stack.defer(() => control.close());
  await writeState(folder, {
    pid: process.pid,
    server: listening.url,
    kubeconfig,
    control: control.url,
  });
  return {
    server: listening.url,
    port,
    kubeconfig,
    control: control.url,
    cluster,
    ended: millrace.ended,
  };
}

/** A tenth or less of the journal in Redis, because it is in the memory of this process. */
const memoryJournalBounds = { maxEntries: 20_000, maxBytes: 16 * 1024 * 1024 };

interface Stores {
  readonly queue: WorkQueue;
  readonly journal: Journal;
}

/** Throws MR_QUEUE_UNAVAILABLE if Redis does not answer now. Later outages are tolerated. */
async function storesOf(
  { redis: url, redisInsecure: insecure = false, logger: log }: StartUpOptions,
  { clientOf }: LocalCluster,
  clock: WaitingClock,
): Promise<Stores> {
  if (url === undefined) {
    const journal = createMemoryJournal({ clock, bounds: memoryJournalBounds });
    return { queue: createMemoryQueue({ clock }), journal };
  }
  // Costs a third of the start-up time, so it is loaded only for Redis.
  const [{ createBullmqQueue }, { createRedisJournal }, { requireRedis }] = await Promise.all([
    import('#shared/queue/bullmq-queue.ts'),
    import('#shared/journal/redis-journal.ts'),
    import('#shared/redis/first-answer.ts'),
  ]);
  const prefix = redisPrefix(await clusterUid(clientOf('bridge')));
  const redis = { url, insecure, log, prefix };
  await requireRedis({ url, insecure });
  return { queue: createBullmqQueue(redis), journal: createRedisJournal(redis) };
}
