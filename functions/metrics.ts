/** All metrics of all processes. A new one is declared beside the code that it measures, and listed here. */
import { bridgeMetrics, reflectorMetrics } from '#functions/bridge/metrics.ts';
import { stateEventMetrics } from '#functions/bridge/state-event-metrics.ts';
import { dispatcherMetrics } from '#functions/dispatcher/dispatcher-metrics.ts';
import { admissionMetrics } from '#shared/runtime/admission/admission-metrics.ts';
import { reviewRecordMetrics } from '#shared/runtime/admission/review-records.ts';
import { functionMetrics } from '#shared/runtime/function/function-metrics.ts';
import { httpMetrics } from '#shared/runtime/http/http-metrics.ts';
import { certificateMetrics } from '#shared/runtime/http/serving-certificate.ts';
import type { Metric } from '#shared/runtime/process/metric.ts';
import { apiMetrics } from '#shared/runtime/process/api-metrics.ts';
import { clockMetrics } from '#shared/runtime/process/clock-metrics.ts';
import { spanMetrics } from '#shared/runtime/traces/span-exporter.ts';

export const metrics: readonly Metric[] = [
  bridgeMetrics,
  reflectorMetrics,
  stateEventMetrics,
  dispatcherMetrics,
  functionMetrics,
  admissionMetrics,
  reviewRecordMetrics,
  certificateMetrics,
  httpMetrics,
  apiMetrics,
  clockMetrics,
  spanMetrics,
].flatMap((declared) => Object.values<Metric>(declared));
