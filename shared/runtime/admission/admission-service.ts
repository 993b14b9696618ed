/**
 * Admissions as HTTPS webhooks, each under a token and its name. No queue or store is needed for an answer.
 *
 * admission-0 Only requests with the token are answered. All others are refused before a body is read, and take no
 *    place.
 * admission-1 Reviews above the limit are shed before a body is read: 503 with Retry-After. A busy process below its
 *    limit sheds none, because the API server does not ask again. A user's write would fail or pass unchecked, although
 *    the API server waits for seconds. Probes and metrics are never shed.
 * admission-2 A failure is answered as an error and never as a denial (answer-1).
 * admission-3 A review is recorded after its answer is sent. Records may be lost, but reviews are never delayed.
 * admission-4 While draining the service is not ready and takes no new reviews. Running ones and their records may
 *    finish within the bound.
 * admission-5 A new certificate is used for new connections; open ones stay.
 */
import type { Registry } from 'prom-client';
import { reviewBudgetMs, type Admission } from '#shared/admission/admission.ts';
import type { ReviewRecorder } from '#shared/admission/review-record.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { createAdmissionMetrics } from './admission-metrics.ts';
import { registerAdmissionRoute } from './admission-route.ts';
import { sendFailure } from './review-failure.ts';
import { ReviewRecords } from './review-records.ts';
import type { ReviewTokens } from './review-token.ts';
import { admissionLimits, type ServiceLimits } from '../http/service-limits.ts';
import type { ServingCertificate } from '../http/serving-certificate.ts';
import { WorkingService } from '../http/working-service.ts';
import type { Logger } from '../process/telemetry.ts';

export interface AdmissionServiceOptions {
  readonly admissions: readonly Admission[];
  readonly certificate: ServingCertificate;
  /** The first part of the path, which only the API server knows from the webhook configuration. */
  readonly tokens: ReviewTokens;
  readonly cluster: Inquiry;
  readonly clock: WaitingClock;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Version of Millrace, for the records. */
  readonly version: string;
  /** Absent: reviews are not recorded. */
  readonly recorder?: ReviewRecorder;
  readonly limits?: Partial<ServiceLimits>;
  /** Default {@link reviewBudgetMs}. */
  readonly budgetMs?: number;
}

export type AdmissionService = Pick<WorkingService, 'listen' | 'drain'>;

export async function createAdmissionService(
  options: AdmissionServiceOptions,
): Promise<AdmissionService> {
  const { logger, registry, recorder } = options;
  const limits = { ...admissionLimits, ...options.limits };
  const service = await WorkingService.create({
    ...options,
    limits,
    worksOn: 'reviews',
    refuse: (reply, message) => {
      void sendFailure(reply, { status: 503, reason: 'ServiceUnavailable', message });
    },
  });
  const reviews = createAdmissionMetrics(registry);
  const records =
    recorder === undefined ? {} : { records: new ReviewRecords({ recorder, logger, registry }) };
  for (const admission of options.admissions) {
    const budgetMs = options.budgetMs ?? reviewBudgetMs(admission);
    registerAdmissionRoute(admission, { ...options, ...records, service, reviews, budgetMs });
  }
  return {
    listen: (where) => service.listen(where),
    drain: async () => {
      await service.drain();
      const recorded = (await records.records?.idleWithin(limits.drainMs)) ?? true;
      if (!recorded) logger.warn({}, 'gave up waiting for the records of reviews');
    },
  };
}
