/** Metrics that are not read: counting would cost more than the counted work. */
import type { Registry } from 'prom-client';
import type { DispatcherMetrics } from '#functions/dispatcher/dispatcher-metrics.ts';
import type { FunctionMetrics } from '#shared/runtime/function/function-metrics.ts';

const idle = {
  inc: (): void => undefined,
  dec: (): void => undefined,
  set: (): void => undefined,
  observe: (): void => undefined,
  startTimer: () => (): number => 0,
};

export const idleFunctionMetrics = {
  decisions: idle,
  steps: idle,
  writes: idle,
  announced: idle,
  journalFailures: idle,
} as unknown as FunctionMetrics;

export const idleDispatcherMetrics = {
  deliveries: idle,
  seconds: idle,
  running: idle,
  parked: idle,
  depth: (): void => undefined,
} as unknown as DispatcherMetrics;

/** Accepts any metric and never renders one. */
export const idleRegistry = { registerMetric: (): void => undefined } as unknown as Registry;
