/** The two ways to serve functions, over the cluster of the given clients. */
import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createBridge } from '#functions/bridge/bridge.ts';
import { createHttpDelivery } from '#functions/dispatcher/deliver-http.ts';
import { createDispatcherMetrics } from '#functions/dispatcher/dispatcher-metrics.ts';
import { createDispatcher } from '#functions/dispatcher/dispatcher.ts';
import { composeMillrace } from '#functions/millrace/compose.ts';
import type { Journal } from '#shared/journal/journal.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { createFunctionMetrics } from '#shared/runtime/function/function-metrics.ts';
import {
  createFunctionService,
  type FunctionService,
} from '#shared/runtime/function/function-service.ts';
import { createItemProcessor } from '#shared/runtime/function/process-item.ts';
import { type FunctionReadsOptions, readsOver } from '#shared/runtime/function/function-reads.ts';
import { trustBy } from '#shared/runtime/function/trust.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createMemoryViews } from '#shared/views/memory-views.ts';
import { createSeal } from '#shared/views/seal.ts';

export interface Served {
  readonly functions: readonly EventFunction[];
  readonly client: KubeClient;
  readonly queue: WorkQueue;
  readonly journal: Journal;
}

/** Resolves when everything runs. The returned function ends it. */
export type Serve = (served: Served) => Promise<() => Promise<void>>;

const logger = pino({ level: 'silent' });
const common = { clock: systemClock, random: Math.random, logger };

/** As `millrace run` and `millrace up` do. */
export const inProcess: Serve = async ({ functions, client, queue, journal }) => {
  const millrace = composeMillrace({
    ...{ ...common, functions, queue, journal },
    clientOf: () => client,
    clusterUid: await clusterUid(client),
    metrics: new Registry(),
    version: 'test',
    instance: 'test',
    concurrency: 2,
    trustNamespaces: true,
  });
  return until((signal) => [millrace.run(signal)]);
};

/** Bridge, dispatcher and functions are separate and connected by HTTP only. */
export const apart: Serve = async ({ functions, client, queue, journal }) => {
  const subscriptions = functions.map(({ subscription }) => subscription);
  const keys = [randomBytes(32)];
  const uid = await clusterUid(client);
  const views = {
    store: createMemoryViews({ clock: systemClock }),
    seal: createSeal(() => keys, uid),
  };
  const services = await Promise.all(functions.map((fn) => listening(fn, client, views)));
  const names = subscriptions.map(({ name }) => name);
  const urls = new Map(services.map(({ url }, index) => [names[index] ?? '', new URL(url)]));
  const delivery = createHttpDelivery({ urls, clock: systemClock });
  const metrics = new Registry();
  const bridge = createBridge({
    ...{ ...common, subscriptions, client, queue, journal, metrics },
    clusterUid: uid,
    storedViews: { ...views, newSession: randomUUID },
  });
  const dispatcher = createDispatcher({
    ...{ ...common, queue, deliver: delivery.deliver },
    concurrency: Object.fromEntries(names.map((name) => [name, 2])),
    metrics: createDispatcherMetrics(metrics),
  });
  const stop = until((signal) => [bridge.run(signal), dispatcher.run(signal)]);
  return async () => {
    await stop();
    await Promise.all([delivery.close(), ...services.map(({ service }) => service.drain())]);
  };
};

async function listening(
  fn: EventFunction,
  client: KubeClient,
  views: NonNullable<FunctionReadsOptions['views']>,
): Promise<{ readonly service: FunctionService; readonly url: string }> {
  const registry = new Registry();
  const { subscription } = fn;
  const reads = readsOver({ subscription, client, clock: systemClock, logger, views });
  const service = await createFunctionService({
    ...{ reader: reads.reader, logger, registry, subscription },
    process: createItemProcessor({
      ...{ ...common, fn, ...reads, instance: 'test', version: 'test' },
      metrics: createFunctionMetrics(registry),
      trust: trustBy({ trustNamespaces: true }),
    }),
  });
  return { service, url: await service.listen({ host: '127.0.0.1', port: 0 }) };
}

function until(run: (signal: AbortSignal) => readonly Promise<void>[]): () => Promise<void> {
  const stopping = new AbortController();
  const running = run(stopping.signal);
  return async () => {
    stopping.abort();
    await Promise.all(running);
  };
}
