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
import { sendProblem } from '../http/problem.ts';
import type { ProcessItem } from './process-item.ts';
import { defaultLimits, type ServiceLimits } from '../http/service-limits.ts';
import { WorkingService } from '../http/working-service.ts';
import { SignatureCheck } from './signature-check.ts';
import type { Logger } from '../process/telemetry.ts';

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

export type FunctionService = Pick<WorkingService, 'listen' | 'drain'>;

export async function createFunctionService(
  options: FunctionServiceOptions,
): Promise<FunctionService> {
  const { authentication } = options;
  const service = await WorkingService.create({
    ...options,
    limits: { ...defaultLimits, ...options.limits },
    worksOn: 'events',
    refuse: (reply, message) => void sendProblem(reply, 503, 'Overloaded', message),
  });
  const check =
    authentication === undefined
      ? {}
      : { check: new SignatureCheck({ ...authentication, metrics: service.metrics }) };
  registerEventRoute({ ...options, ...check, service });
  return service;
}
