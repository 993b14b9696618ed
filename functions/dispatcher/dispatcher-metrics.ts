import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { QueueDepth } from '#shared/queue/work-queue.ts';

export interface DispatcherMetrics {
  readonly deliveries: Counter<'function' | 'verdict'>;
  readonly seconds: Histogram<'function'>;
  readonly running: Gauge<'function'>;
  readonly parked: Counter<'function'>;
  /** The depth as last sampled, by state: waiting, running, delayed, parked. */
  readonly depth: (functionName: string, depth: QueueDepth) => void;
}

export function createDispatcherMetrics(registry: Registry): DispatcherMetrics {
  const registers = [registry];
  const items = new Gauge({
    name: 'millrace_queue_items',
    help: 'Work items by state, as last sampled.',
    labelNames: ['function', 'state'],
    registers,
  });
  return {
    deliveries: new Counter({
      name: 'millrace_deliveries_total',
      help: 'Deliveries by verdict.',
      labelNames: ['function', 'verdict'],
      registers,
    }),
    seconds: new Histogram({
      name: 'millrace_delivery_seconds',
      help: 'From taking an item to its verdict.',
      labelNames: ['function'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    running: new Gauge({
      name: 'millrace_deliveries_running',
      help: 'Deliveries under way.',
      labelNames: ['function'],
      registers,
    }),
    parked: new Counter({
      name: 'millrace_parked_total',
      help: 'Items set aside.',
      labelNames: ['function'],
      registers,
    }),
    depth: (functionName, depth) => {
      for (const [state, count] of Object.entries(depth)) {
        items.set({ function: functionName, state }, count as number);
      }
    },
  };
}
