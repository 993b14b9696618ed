/** Bridge, dispatcher and functions in one process: the same parts as in separate ones, with shared views. */
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

/** Returns the client of a component, each time the same one. */
export type ClientOf = (component: string) => KubeClient;

export interface MillraceParts {
  /** The functions that this process serves. */
  readonly functions: readonly EventFunction[];
  /** Clients of the bridge and of each function by name: each may have its own credentials. */
  readonly clientOf: ClientOf;
  readonly queue: WorkQueue;
  readonly journal: Journal;
  readonly clusterUid: string;
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly version: string;
  /** Name of the pod or host: reportingInstance of the Events. */
  readonly instance: string;
  /** Concurrent passes per function. */
  readonly concurrency: number;
  /** Absent: this bridge always publishes. */
  readonly leadership?: Leadership;
  /**
   * Whether every user who may write Millrace's objects in a namespace is trusted there: without webhooks no
   * submitter is recorded.
   */
  readonly trustNamespaces: boolean;
  /** Policy for the Pods of created Jobs. Absent: nothing is refused. */
  readonly policy?: PodPolicy;
  /** Receives events about changes of state. Absent: none are sent. */
  readonly stateSink?: NonNullable<BridgeOptions['stateSink']>;
  /** The only namespace to serve. Absent: all namespaces. */
  readonly namespace?: string;
  /** Other times than the defaults, for a clock that is not that of the machine. */
  readonly times?: NonNullable<BridgeOptions['times']>;
  readonly noProgressMs?: number;
  readonly drainMs?: number;
  /** Wraps each delivery to a function. */
  readonly around?: (deliver: Deliver) => Deliver;
}

export interface Millrace {
  readonly bridge: Bridge;
  /** Runs until `signal` aborts. Rejects with MR_NO_PROGRESS if the process has to be restarted. */
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

/** Keyed by the name of the function. */
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
 * If one of them ends, the other is stopped, and the first fault is reported. Among several such processes only the
 * leader works: it has begun before the others could take items.
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
