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
  /** The fault of the function. Absent: its writes are only counted. */
  readonly plan?: FaultPlan;
  /** The only function that is served. Default: flow-advance. */
  readonly fn?: EventFunction;
  /** Its clock. Default: the machine's. */
  readonly clock?: WaitingClock;
}

export interface ThrowawayMillrace {
  /** The client for the function's writes. */
  readonly client: FaultyClient;
  /** Whether it has read the state of the namespace at its start. */
  readonly synced: boolean;
  /** Ends it with all its memory; only the cluster's content survives. */
  discard(): Promise<void>;
}

/**
 * A whole Millrace for one namespace with queue and journal in memory. Ending it loses everything
 * that is not in the cluster.
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
    // Longer than a test, so that no result depends on a sweep.
    times: { sweepMs: 600_000 },
  });
  const stop = new AbortController();
  const running = millrace.run(stop.signal);
  // The caller gets the failure when it discards it.
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
