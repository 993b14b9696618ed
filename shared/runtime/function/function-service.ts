/**
 * A function as an HTTP service (Knative runtime contract; paths as in faas-js-runtime).
 *
 * service-1 Load is shed before a body is read: 503 with Retry-After. Probes and metrics are never
 *    shed. Only work takes a place. Bodies are read beside it, each within a time limit and so many
 *    at once. A sender is authenticated before that, by its headers before the body and by the body
 *    afterwards.
 * service-2 An object is processed once at a time: a second event for it is answered 409.
 * service-3 Success has no body (a Knative broker treats any body but an event as a failure).
 * service-4 While draining the service is not ready and takes no new events. Running work may
 *    finish within the bound.
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
  /** The subscription of the served function. */
  readonly subscription: Subscription;
  readonly process: ProcessItem;
  readonly reader: Reader;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly limits?: Partial<ServiceLimits>;
  /** Authenticates senders. Absent: every sender is accepted. */
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
