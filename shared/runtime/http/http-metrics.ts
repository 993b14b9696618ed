import { Counter, Gauge, type Registry } from 'prom-client';

export interface HttpMetrics {
  readonly requests: Counter<'route' | 'status'>;
  readonly shed: Counter<'reason'>;
  readonly unauthenticated: Counter<'reason'>;
}

/**
 * Metrics of a process's HTTP face; `route` is a path of our own, never the client's. A process may
 * serve probes in one place and webhooks in another: they count together.
 */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  let known = byRegistry.get(registry);
  if (known === undefined) {
    known = newHttpMetrics(registry);
    byRegistry.set(registry, known);
  }
  return known;
}

const byRegistry = new WeakMap<Registry, HttpMetrics>();

function newHttpMetrics(registry: Registry): HttpMetrics {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'millrace_http_requests_total',
      help: 'Requests by route and status.',
      labelNames: ['route', 'status'],
      registers,
    }),
    shed: new Counter({
      name: 'millrace_http_shed_total',
      help: 'Turned away by reason: full, pressure, draining, busy; connections closed for new ones.',
      labelNames: ['reason'],
      registers,
    }),
    unauthenticated: new Counter({
      name: 'millrace_http_unauthenticated_total',
      help: 'Deliveries whose sender was not proven, by reason: missing, malformed, clock, signature.',
      labelNames: ['reason'],
      registers,
    }),
  };
}

/** Only for services whose requests are work. */
export function exposeInFlight(registry: Registry, inFlight: () => number): void {
  new Gauge({
    name: 'millrace_http_in_flight',
    help: 'Requests being worked on.',
    registers: [registry],
    collect() {
      this.set(inFlight());
    },
  });
}
