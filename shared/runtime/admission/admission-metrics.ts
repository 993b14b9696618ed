import type { Registry } from 'prom-client';
import type { Admission } from '#shared/admission/admission.ts';
import type { AdmissionDecision } from '#shared/domain/admission-decision.ts';
import { counterOf, histogramOf, metric } from '#shared/runtime/process/metric.ts';

export const admissionMetrics = {
  reviews: metric({
    name: 'millrace_reviews_total',
    type: 'counter',
    unit: 'number',
    by: 'admissions',
    says: 'Reviews by admission and outcome: allowed, changed, denied, or why they failed.',
    next: 'Another outcome than allowed, changed and denied: the log of the admission has the error. Where it fails closed, nothing can be created meanwhile.',
    labels: { admission: 'admission', outcome: 'outcome' },
  }),
  durations: metric({
    name: 'millrace_review_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    by: 'admissions',
    says: 'From the arrival of a review to its answer.',
    next: 'Near the timeout of the webhook: more Pods of the admission, or an API server that answers slowly.',
    labels: { admission: 'admission' },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2],
  }),
};

type Named = Pick<Admission, 'name'>;

export interface AdmissionMetrics {
  observe(admission: Named, decision: AdmissionDecision, durationMs: number): void;
  /** `reason`: an MR_ code or a word of metav1.StatusReason. */
  failed(admission: Named, reason: string): void;
}

export function createAdmissionMetrics(registry: Registry): AdmissionMetrics {
  const reviews = counterOf(admissionMetrics.reviews, registry);
  const durations = histogramOf(admissionMetrics.durations, registry);
  return {
    observe: ({ name: admission }, decision, durationMs) => {
      reviews.inc({ admission, outcome: outcomeOf(decision) });
      durations.observe({ admission }, durationMs / 1000);
    },
    failed: ({ name: admission }, outcome) => reviews.inc({ admission, outcome }),
  };
}

function outcomeOf(decision: AdmissionDecision): string {
  if (!decision.allowed) return 'denied';
  return decision.object === undefined ? 'allowed' : 'changed';
}
