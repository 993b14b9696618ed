/**
 * Admissions as HTTPS webhooks, each under a token and its name. No queue and no store is in the path of an
 * answer.
 *
 * S0 Only who knows the token is answered; everybody else is turned away before a body is read, and takes
 *    nobody's turn.
 * S1 More reviews at once than the limit are shed before a body is read: 503 with Retry-After. A busy process sheds
 *    none: nobody asks again, so that a user's write would fail or be let through unseen for an answer that
 *    the API server waits seconds for. Probes and metrics are never shed.
 * S2 What fails is answered as an error and never as a denial (A1 of answer-review.ts).
 * S3 A review is recorded after its answer is out; records get lost rather than reviews delayed.
 * S4 While draining: not ready, no new reviews, those under way and their records may finish within
 *    the bound.
 * S5 A new certificate serves new connections; those that are open stay.
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
  /** The first part of the path, which the webhook configuration tells the API server alone. */
  readonly tokens: ReviewTokens;
  readonly cluster: Inquiry;
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
