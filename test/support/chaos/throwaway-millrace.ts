import { Registry } from 'prom-client';
import { flowAdvance } from '#functions/flow-advance/function.ts';
import { type ClientOf, composeMillrace } from '#functions/millrace/compose.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { createMemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import { FaultyClient, type FaultPlan } from '../faulty-client.ts';

export interface ThrowawayOptions {
  readonly clientOf: ClientOf;
  readonly clusterUid: string;
  readonly namespace: string;
  readonly logger: Logger;
  /** What befalls the function. Absent: its writes are only counted. */
  readonly plan?: FaultPlan;
  /** The only function that is served. Default: flow-advance. */
  readonly fn?: EventFunction;
  /** What it goes by. Default: the machine's. */
  readonly clock?: WaitingClock;
}

export interface ThrowawayMillrace {
  /** What the function wrote through. */
  readonly client: FaultyClient;
  /** Whether it knows the namespace as it was when it started. */
  readonly synced: boolean;
  /** Ends it and all that it knew: nothing survives but what is in the cluster. */
  discard(): Promise<void>;
}

/**
 * A whole Millrace for one namespace whose queue and journal are in memory, so that with it goes
 * everything that is not in the cluster.
 */
export function startThrowawayMillrace(options: ThrowawayOptions): ThrowawayMillrace {
  const { clientOf, clusterUid, namespace, logger, plan } = options;
  const { fn = flowAdvance, clock = systemClock } = options;
  const { name } = fn.subscription;
  const client = new FaultyClient(clientOf(name), plan);
  const millrace = composeMillrace({
    functions: [fn],
    clientOf: (component) => (component === name ? client : clientOf(component)),
    queue: createMemoryQueue({ clock }),
    journal: createMemoryJournal({ clock }),
    clusterUid,
    namespace,
    clock,
    random: Math.random,
    logger,
    metrics: new Registry(),
    version: 'test',
    instance: namespace,
    concurrency: 4,
    trustNamespaces: true,
    // Longer than a test: what comes to its end was not found by a sweep.
    times: { sweepMs: 600_000 },
  });
  const stop = new AbortController();
  const running = millrace.run(stop.signal);
  // The caller that discards it gets the failure.
  running.catch(() => undefined);
  return {
    client,
    get synced() {
      return millrace.bridge.synced;
    },
    discard: async () => {
      stop.abort();
      await running;
    },
  };
}
