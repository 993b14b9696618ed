/**
 * Admissions as HTTPS webhooks, each under its name. No queue and no store is in the path of an answer.
 *
 * S1 Load is shed before a body is read: 503 with Retry-After; probes and metrics are never shed.
 * S2 What fails is answered as an error and never as a denial (A1 of answer-review.ts).
 * S3 A review is recorded after its answer is out; records get lost rather than reviews delayed.
 * S4 While draining: not ready, no new reviews, those under way and their records may finish within
 *    the bound.
 * S5 A new certificate serves new connections; those that are open stay.
 */
import type { Server } from 'node:https';
import type { Registry } from 'prom-client';
import { reviewBudgetMs, type Admission } from '#shared/admission/admission.ts';
import type { ReviewRecorder } from '#shared/admission/review-record.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { createAdmissionMetrics } from './admission-metrics.ts';
import { registerAdmissionRoute } from './admission-route.ts';
import { createHttpMetrics, exposeInFlight } from './http-metrics.ts';
import { createHttpServer, listenOn } from './http-server.ts';
import { InFlightGate } from './in-flight-gate.ts';
import { registerProbes } from './probes.ts';
import { ReviewRecords } from './review-records.ts';
import { admissionLimits, type ServiceLimits } from './service-limits.ts';
import type { ServingCertificate } from './serving-certificate.ts';
import type { Logger } from './telemetry.ts';

export interface AdmissionServiceOptions {
  readonly admissions: readonly Admission[];
  readonly certificate: ServingCertificate;
  readonly reader: Reader;
  readonly clock: WaitingClock;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Of Millrace, for the records. */
  readonly version: string;
  /** Absent: reviews are not recorded. */
  readonly recorder?: ReviewRecorder;
  readonly limits?: Partial<ServiceLimits>;
  /** Default {@link reviewBudgetMs}. */
  readonly budgetMs?: number;
}

export interface AdmissionService {
  /** The address it listens on, as a URL. Of addresses and not of `localhost`, which may be two. */
  listen(where: { readonly host: string; readonly port: number }): Promise<string>;
  /** Stops taking reviews, waits for those under way and their records within the bound, closes. */
  drain(): Promise<void>;
}

export async function createAdmissionService(
  options: AdmissionServiceOptions,
): Promise<AdmissionService> {
  const { logger, registry, certificate, recorder } = options;
  const limits = { ...admissionLimits, ...options.limits };
  const gate = new InFlightGate(limits.maxInFlight);
  const metrics = createHttpMetrics(registry);
  exposeInFlight(registry, () => gate.inFlight);
  const reviews = createAdmissionMetrics(registry);
  const records =
    recorder === undefined ? {} : { records: new ReviewRecords({ recorder, logger, registry }) };
  let draining = false;
  const isDraining = (): boolean => draining;
  const app = await createHttpServer({ logger, limits, metrics, tls: certificate.current() });
  const server = app.server as unknown as Server;
  certificate.onReplaced((pair) => server.setSecureContext(pair));
  registerProbes(app, { registry, isDraining, notReady: () => certificate.notReady() });
  const budgetMs = options.budgetMs ?? reviewBudgetMs;
  const route = { ...options, ...records, gate, metrics, reviews, isDraining, budgetMs };
  for (const admission of options.admissions) registerAdmissionRoute(app, admission, route);
  return {
    listen: (where) => listenOn(app, where),
    drain: async () => {
      draining = true;
      const finished = await gate.idleWithin(limits.drainMs);
      if (!finished) {
        logger.warn({ inFlight: gate.inFlight }, 'gave up waiting for reviews');
        server.closeAllConnections();
      }
      await app.close();
      const recorded = (await records.records?.idleWithin(limits.drainMs)) ?? true;
      if (!recorded) logger.warn({}, 'gave up waiting for the records of reviews');
    },
  };
}
