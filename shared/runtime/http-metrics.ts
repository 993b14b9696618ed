import { Counter, Gauge, type Registry } from 'prom-client';

export interface HttpMetrics {
  readonly requests: Counter<'route' | 'status'>;
  readonly shed: Counter<'reason'>;
}

/** Metrics of a function's HTTP face; `route` is a path of our own, never the client's. */
export function createHttpMetrics(registry: Registry, inFlight: () => number): HttpMetrics {
  const registers = [registry];
  new Gauge({
    name: 'millrace_http_in_flight',
    help: 'Events being worked on.',
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  return {
    requests: new Counter({
      name: 'millrace_http_requests_total',
      help: 'Requests by route and status.',
      labelNames: ['route', 'status'],
      registers,
    }),
    shed: new Counter({
      name: 'millrace_http_shed_total',
      help: 'Events turned away unread, by reason: full, pressure, draining, busy.',
      labelNames: ['reason'],
      registers,
    }),
  };
}
