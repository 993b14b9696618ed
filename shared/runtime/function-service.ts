/**
 * A function as an HTTP service (Knative runtime contract; paths as faas-js-runtime has them).
 *
 * S1 Load is shed before a body is read: 503 with Retry-After; probes and metrics are never shed.
 *    Only work takes a place: bodies are read beside it, each within a time, so many at once.
 *    A sender is proven before that, by its headers before the body and by the body thereafter.
 * S2 One object is worked on once at a time: a second event for it is answered 409.
 * S3 Success has no body (a Knative broker takes any but an event for a failure).
 * S4 While draining: not ready, no new events, what runs may finish within the bound.
 */
import type { Registry } from 'prom-client';
import type { Clock } from '#shared/domain/clock.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import type { DeliveryKeys } from './delivery-keys.ts';
import { registerEventRoute } from './event-route.ts';
import { createHttpMetrics, exposeInFlight } from './http-metrics.ts';
import { createHttpServer, listenOn } from './http-server.ts';
import { InFlightGate } from './in-flight-gate.ts';
import { registerProbes } from './probes.ts';
import type { ProcessItem } from './process-item.ts';
import { defaultLimits, type ServiceLimits } from './service-limits.ts';
import { SignatureCheck } from './signature-check.ts';
import type { Logger } from './telemetry.ts';

export interface FunctionServiceOptions {
  /** Of the function that is served. */
  readonly subscription: Subscription;
  readonly process: ProcessItem;
  readonly reader: Reader;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly limits?: Partial<ServiceLimits>;
  /** How senders are proven. Absent: everybody is taken for one. */
  readonly authentication?: { readonly keys: DeliveryKeys; readonly clock: Clock };
}

export interface FunctionService {
  /** The address it listens on, as a URL. */
  listen(where: { readonly host: string; readonly port: number }): Promise<string>;
  /** Stops taking events, waits for those under way within the bound, closes. */
  drain(): Promise<void>;
}

export async function createFunctionService(
  options: FunctionServiceOptions,
): Promise<FunctionService> {
  const limits = { ...defaultLimits, ...options.limits };
  const gate = new InFlightGate(limits.maxInFlight);
  const metrics = createHttpMetrics(options.registry);
  exposeInFlight(options.registry, () => gate.inFlight);
  let draining = false;
  const isDraining = (): boolean => draining;
  const { authentication } = options;
  const check =
    authentication === undefined
      ? {}
      : { check: new SignatureCheck({ ...authentication, metrics }) };
  const app = await createHttpServer({ logger: options.logger, limits, metrics });
  registerProbes(app, { registry: options.registry, isDraining });
  registerEventRoute(app, { ...options, ...check, gate, metrics, isDraining });
  return {
    listen: (where) => listenOn(app, where),
    drain: async () => {
      draining = true;
      const finished = await gate.idleWithin(limits.drainMs);
      if (!finished) options.logger.warn({ inFlight: gate.inFlight }, 'gave up waiting for events');
      // Idle keep-alive connections are closed by Fastify, cut-off ones are nobody's any more.
      if (!finished) app.server.closeAllConnections();
      await app.close();
    },
  };
}
