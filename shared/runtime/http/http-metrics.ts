import type { Counter, Registry } from 'prom-client';
import { counterOf, gaugeOf, metric } from '#shared/runtime/process/metric.ts';

export const httpMetrics = {
  requests: metric({
    name: 'millrace_http_requests_total',
    type: 'counter',
    unit: 'number',
    by: 'every process',
    says: 'Requests by route and status.',
    next: 'A share of 5xx: the log of the process has the error.',
    labels: { route: 'route', status: 'status' },
  }),
  shed: metric({
    name: 'millrace_http_shed_total',
    type: 'counter',
    unit: 'number',
    by: 'functions and admissions',
    says: 'Turned away by reason: full, pressure, draining, busy; connections closed for new ones.',
    next: 'Nothing for a while after a rollout. `full`, `busy` or `pressure` that stay: more Pods of this process.',
    labels: { reason: ['full', 'pressure', 'draining', 'busy', 'connections'] },
  }),
  unauthenticated: metric({
    name: 'millrace_http_unauthenticated_total',
    type: 'counter',
    unit: 'number',
    by: 'functions',
    says: 'Deliveries whose sender could not be verified, by reason: missing, malformed, clock, signature.',
    next: '`signature`: the keys differ. `clock`: the clocks differ. `missing`: another client sends.',
    labels: { reason: ['missing', 'malformed', 'clock', 'signature'] },
  }),
  inFlight: metric({
    name: 'millrace_http_requests_in_flight',
    type: 'gauge',
    unit: 'number',
    by: 'functions and admissions',
    says: 'Requests being worked on.',
    next: 'Near MILLRACE_MAX_IN_FLIGHT for long: more Pods of this process.',
    labels: {},
  }),
};

export interface HttpMetrics {
  readonly requests: Counter<'route' | 'status'>;
  readonly shed: Counter<'reason'>;
  readonly unauthenticated: Counter<'reason'>;
}

/**
 * HTTP metrics of a process. `route` is a path of Millrace, never the client's. Probes and webhooks
 * may be on different servers but are counted together.
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
  return {
    requests: counterOf(httpMetrics.requests, registry),
    shed: counterOf(httpMetrics.shed, registry),
    unauthenticated: counterOf(httpMetrics.unauthenticated, registry),
  };
}

/** Only for services whose requests are work. */
export function exposeInFlight(registry: Registry, inFlight: () => number): void {
  gaugeOf(httpMetrics.inFlight, registry, function () {
    this.set(inFlight());
  });
}
