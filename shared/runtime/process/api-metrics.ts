import type { Registry } from 'prom-client';
import type { RequestReport } from '#shared/kube/api-transport.ts';
import { histogramOf, metric } from '#shared/runtime/process/metric.ts';

export const apiMetrics = {
  seconds: metric({
    name: 'millrace_api_request_seconds',
    type: 'histogram',
    unit: 'seconds',
    by: 'every process that reads the cluster',
    says: 'Requests to the API server; status 0 is no answer.',
    next: 'Status 0 or 5xx: look at the API server. 403: a Role is older than its process; run `millrace doctor`. 429: the API server sheds load, and Millrace waits.',
    labels: {
      verb: ['get', 'list', 'watch', 'create', 'patch', 'delete', 'discover'],
      resource: 'resource',
      status: 'status',
    },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  }),
};

/** Counts and times requests to the API server. Pass it to the client as `onRequest`. */
export function createApiMetrics(registry: Registry): (report: RequestReport) => void {
  const seconds = histogramOf(apiMetrics.seconds, registry);
  return ({ verb, resource, status, durationMs }) =>
    seconds.observe({ verb, resource, status: String(status) }, durationMs / 1000);
}
