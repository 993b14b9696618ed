import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ItemState, QueueDepth } from '#shared/queue/work-queue.ts';
import { counterOf, gaugeOf, histogramOf, metric } from '#shared/runtime/process/metric.ts';

const states: readonly ItemState[] = ['waiting', 'running', 'delayed', 'parked'];

export const dispatcherMetrics = {
  items: metric({
    name: 'millrace_queue_items',
    type: 'gauge',
    unit: 'number',
    by: 'dispatcher',
    says: 'Work items by state, as last sampled. Each dispatcher shows those of all.',
    next: '`waiting` that grows: functions are slow or away; see millrace_deliveries_total. `parked`: `millrace queue` has the reasons.',
    labels: { function: 'function', state: states },
  }),
  oldestWait: metric({
    name: 'millrace_queue_oldest_wait_seconds',
    type: 'gauge',
    unit: 'seconds',
    by: 'dispatcher',
    says: 'How long the work item has waited that is next, as last sampled; 0 when none waits. Each dispatcher shows the same.',
    next: 'It grows: functions are slow or away; see millrace_deliveries_total and millrace_deliveries_running.',
    labels: { function: 'function' },
  }),
  sampled: metric({
    name: 'millrace_queue_sampled_timestamp_seconds',
    type: 'gauge',
    unit: 'seconds',
    by: 'dispatcher',
    says: 'Time when Redis last reported the depth of a queue.',
    next: 'More than a minute ago: Redis does not answer.',
    labels: {},
  }),
  deliveries: metric({
    name: 'millrace_deliveries_total',
    type: 'counter',
    unit: 'number',
    by: 'dispatcher',
    says: 'Deliveries by verdict.',
    next: '`retry` and `unreachable`: the log of the dispatcher has the reason. `later`: the function is too busy, and loses no attempt.',
    labels: {
      function: 'function',
      verdict: ['done', 'requeue', 'later', 'retry', 'parked', 'unreachable', 'refused'],
    },
  }),
  seconds: metric({
    name: 'millrace_delivery_seconds',
    type: 'histogram',
    unit: 'seconds',
    by: 'dispatcher',
    says: 'From taking an item to its verdict.',
    next: 'Slow: compare with millrace_decision_step_seconds of the function.',
    labels: { function: 'function' },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  }),
  running: metric({
    name: 'millrace_deliveries_running',
    type: 'gauge',
    unit: 'number',
    by: 'dispatcher',
    says: 'Deliveries under way.',
    next: 'At MILLRACE_CONCURRENCY for long, with items waiting: more dispatchers, or more Pods of the function.',
    labels: { function: 'function' },
  }),
  parked: metric({
    name: 'millrace_parked_total',
    type: 'counter',
    unit: 'number',
    by: 'dispatcher',
    says: 'Items set aside.',
    next: '`millrace queue` prints them with their reasons; `millrace queue retry` has them looked at again.',
    labels: { function: 'function' },
  }),
};

export interface DispatcherMetrics {
  readonly deliveries: Counter<'function' | 'verdict'>;
  readonly seconds: Histogram<'function'>;
  readonly running: Gauge<'function'>;
  readonly parked: Counter<'function'>;
  /** Records the last sample: items by state, and the longest wait. */
  readonly depth: (functionName: string, depth: QueueDepth) => void;
}

export function createDispatcherMetrics(registry: Registry): DispatcherMetrics {
  const items = gaugeOf(dispatcherMetrics.items, registry);
  const oldestWait = gaugeOf(dispatcherMetrics.oldestWait, registry);
  const sampled = gaugeOf(dispatcherMetrics.sampled, registry);
  const parked = counterOf(dispatcherMetrics.parked, registry);
  return {
    deliveries: counterOf(dispatcherMetrics.deliveries, registry),
    seconds: histogramOf(dispatcherMetrics.seconds, registry),
    running: gaugeOf(dispatcherMetrics.running, registry),
    parked,
    depth: (functionName, depth) => {
      sampled.setToCurrentTime();
      for (const state of states) items.set({ function: functionName, state }, depth[state]);
      oldestWait.set({ function: functionName }, (depth.oldestWaitMs ?? 0) / 1_000);
      // Prometheus sees no increase in a series that starts at 1.
      parked.inc({ function: functionName }, 0);
    },
  };
}
