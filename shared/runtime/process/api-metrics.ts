import { Histogram, type Registry } from 'prom-client';
import type { RequestReport } from '#shared/kube/api-transport.ts';

/** Counts and times requests to the API server; hand it to the client as `onRequest`. */
export function createApiMetrics(registry: Registry): (report: RequestReport) => void {
  const seconds = new Histogram({
    name: 'millrace_api_request_seconds',
    help: 'Requests to the API server; status 0 is no answer.',
    labelNames: ['verb', 'resource', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return ({ verb, resource, status, durationMs }) =>
    seconds.observe({ verb, resource, status: String(status) }, durationMs / 1000);
}
