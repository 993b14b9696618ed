import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createMemoryQueue, type MemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import type { Deliver } from '../deliver.ts';
import { createDispatcherMetrics } from '../dispatcher-metrics.ts';
import { createDispatcher, type DispatcherOptions } from '../dispatcher.ts';

export interface DispatchProbe {
  readonly queue: MemoryQueue;
  readonly registry: Registry;
  /** Stops the run. Resolves or rejects as the run does. */
  stop(): Promise<void>;
  /** Settles as the run does, without stopping it. */
  readonly ended: Promise<void>;
}

/** A running dispatcher with the in-memory queue, in real time. */
export function startDispatcher(
  deliver: Deliver,
  options: Partial<DispatcherOptions> = {},
): DispatchProbe {
  const queue = createMemoryQueue({ clock: systemClock });
  const registry = new Registry();
  const dispatcher = createDispatcher({
    queue,
    deliver,
    concurrency: { 'flow-advance': 4 },
    clock: systemClock,
    random: Math.random,
    logger: pino({ level: 'silent' }),
    metrics: createDispatcherMetrics(registry),
    ...options,
  });
  const stopped = new AbortController();
  const ended = dispatcher.run(stopped.signal);
  ended.catch(() => undefined);
  const stop = (): Promise<void> => {
    stopped.abort();
    return ended;
  };
  return { queue, registry, stop, ended };
}
