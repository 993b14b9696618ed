import { Counter, Histogram, type Registry } from 'prom-client';
import type { Admission } from '#shared/admission/admission.ts';
import type { AdmissionDecision } from '#shared/domain/admission-decision.ts';

type Named = Pick<Admission, 'name'>;

export interface AdmissionMetrics {
  observe(admission: Named, decision: AdmissionDecision, durationMs: number): void;
  /** `reason`: one of our codes, or a word of metav1.StatusReason. */
  failed(admission: Named, reason: string): void;
}

export function createAdmissionMetrics(registry: Registry): AdmissionMetrics {
  const registers = [registry];
  const reviews = new Counter({
    name: 'millrace_reviews_total',
    help: 'Reviews by admission and outcome: allowed, changed, denied, or why they failed.',
    labelNames: ['admission', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'millrace_review_duration_seconds',
    help: 'From the arrival of a review to its answer.',
    labelNames: ['admission'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2],
    registers,
  });
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
