import type { Registry } from 'prom-client';
import { gaugeOf, metric } from '#shared/runtime/process/metric.ts';

export const clockMetrics = {
  offset: metric({
    name: 'millrace_clock_offset_seconds',
    type: 'gauge',
    unit: 'seconds',
    by: 'every process that reads the cluster',
    says: "How far the machine's clock is ahead of the API server's; 0 until a difference is measured.",
    next: "Above 30 s correct the machine's time service. Decisions use the time of the API server meanwhile.",
    labels: {},
  }),
};

/** Shows how far this machine's clock is off. `aheadMs` is read when the metrics are collected. */
export function exposeClock(registry: Registry, clock: { readonly aheadMs: number }): void {
  gaugeOf(clockMetrics.offset, registry, function () {
    this.set(clock.aheadMs / 1_000);
  });
}
