/** Bridge, dispatcher and functions in one process: the same parts as apart, sharing the views. */
import { setImmediate } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import {
  type Bridge,
  type BridgeOptions,
  createBridge,
  type Leadership,
} from '#functions/bridge/bridge.ts';
import type { Deliver } from '#functions/dispatcher/deliver.ts';
import { deliverInProcess } from '#functions/dispatcher/deliver-in-process.ts';
import { createDispatcher } from '#functions/dispatcher/dispatcher.ts';
import { HeadStarts } from '#functions/dispatcher/head-starts.ts';
import { createDispatcherMetrics } from '#functions/dispatcher/dispatcher-metrics.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { underEither } from '#shared/domain/under-either.ts';
import type { Journal } from '#shared/journal/journal.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { mostRecentBeside, viewReader } from '#shared/kube/view-reader.ts';
import { writeThrough } from '#shared/kube/write-through.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { createFunctionMetrics } from '#shared/runtime/function/function-metrics.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { createItemProcessor, type ProcessItem } from '#shared/runtime/function/process-item.ts';
import { trustBy } from '#shared/runtime/function/trust.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';

/** The client of a component; the same one whenever it is asked for. */
export type ClientOf = (component: string) => KubeClient;

export interface MillraceParts {
  /** Those that this process serves. */
  readonly functions: readonly EventFunction[];
  /** Of the bridge and of each function by its name: each may have its own credentials. */
  readonly clientOf: ClientOf;
  readonly queue: WorkQueue;
  readonly journal: Journal;
  readonly clusterUid: string;
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly version: string;
  /** Of the pod or host: reportingInstance of the Events. */
  readonly instance: string;
  /** Objects decided at once, per function. */
  readonly concurrency: number;
  /** Absent: this bridge always publishes. */
  readonly leadership?: Leadership;
  /**
   * Whether everybody who may write our objects in a namespace is trusted there: where there are no webhooks,
   * nobody is recorded as a submitter.
   */
  readonly trustNamespaces: boolean;
  /** What is refused in the Pods of Jobs that are created. Absent: nothing. */
  readonly policy?: PodPolicy;
  /** Where changes of state are told. Absent: nowhere. */
  readonly stateSink?: NonNullable<BridgeOptions['stateSink']>;
  /** Serves the flows of this one only. Absent: all namespaces. */
  readonly namespace?: string;
  /** Other than the defaults, for a clock that is not the machine's. */
  readonly times?: NonNullable<BridgeOptions['times']>;
  readonly noProgressMs?: number;
  readonly drainMs?: number;
  /** Wraps each delivery to a function. */
  readonly around?: (deliver: Deliver) => Deliver;
}

export interface Millrace {
  readonly bridge: Bridge;
  /** Until `signal` aborts; rejects with MR_NO_PROGRESS when the process has to be started anew. */
  run(signal: AbortSignal): Promise<void>;
}

const asItIs = (deliver: Deliver): Deliver => deliver;

export function composeMillrace(parts: MillraceParts): Millrace {
  const { functions, clientOf, queue, concurrency, clock, around = asItIs } = parts;
  const headStarts: HeadStarts = new HeadStarts({
    add: (items) => queue.add(items),
    deliver: (item, signal) => deliver(item, signal),
    concurrency,
    clock,
    turn: () => setImmediate(),
  });
  const bridge = createBridge({
    ...parts,
    queue: headStarts,
    subscriptions: functions.map(({ subscription }) => subscription),
    client: clientOf('bridge'),
    logger: parts.logger.child({ part: 'bridge' }),
  });
  const deliver = around(deliverInProcess(processorsOver(parts, bridge)));
  const dispatcher = createDispatcher({
    ...parts,
    logger: parts.logger.child({ part: 'dispatcher' }),
    metrics: createDispatcherMetrics(parts.metrics),
    concurrency: Object.fromEntries(
      functions.map(({ subscription }) => [subscription.name, concurrency]),
    ),
    deliver: (item, signal) => headStarts.deliver(item, signal),
  });
  return {
    bridge,
    run: async (signal) => {
      try {
        await runBoth(bridge, dispatcher, signal);
      } finally {
        await headStarts.end();
      }
    },
  };
}

/** By the name of the function. */
function processorsOver(parts: MillraceParts, { views }: Bridge): ReadonlyMap<string, ProcessItem> {
  const metrics = createFunctionMetrics(parts.metrics);
  const { trustNamespaces, namespace: served } = parts;
  const trust = trustBy({ trustNamespaces, served });
  return new Map(
    parts.functions.map((fn) => {
      const { name } = fn.subscription;
      const client = writeThrough(parts.clientOf(name), views, parts.clock);
      const server = apiReader(client);
      const seen = views.seenBy(fn.subscription);
      const reader = viewReader(seen, server);
      const process = createItemProcessor({
        ...{ ...parts, fn, client, reader, freshReader: mostRecentBeside(seen, server), metrics },
        trust,
      });
      return [name, process];
    }),
  );
}

/**
 * Neither goes on without the other; the first fault is the one reported. Of several such processes the one works that
 * leads: it has begun before the others could take anything.
 */
async function runBoth(
  bridge: Pick<Bridge, 'run' | 'whileLeading'>,
  dispatcher: { run(signal: AbortSignal): Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  await underEither([signal, failed.signal], async (stop) => {
    const working = bridge.whileLeading((leads) => dispatcher.run(leads), stop);
    const running = [bridge.run(stop), working];
    try {
      await Promise.all(running);
    } finally {
      failed.abort();
      await Promise.allSettled(running);
    }
  });
}
