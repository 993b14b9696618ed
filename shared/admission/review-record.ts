/** The record of a review: input and result, without environment values. */
import type { AdmissionDecision, Review, ReviewInput } from '#shared/domain/admission-decision.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { redactEnv } from '#shared/domain/redact.ts';
import type { Admission } from './admission.ts';
import { patchBetween, type Operation } from './review-patch.ts';

export interface ReviewRecord {
  readonly kind: 'review';
  readonly admission: string;
  /** Version of Millrace. */
  readonly version: string;
  /** Redacted: object, old object and facts. */
  readonly review: Review;
  readonly facts?: Json;
  readonly nowMs: number;
  readonly decision: RecordedDecision;
  /** False: the API server disconnected before the answer was sent and applied its failurePolicy. */
  readonly answered: boolean;
}

export type RecordedDecision =
  | Exclude<AdmissionDecision, { readonly allowed: true }>
  | {
      readonly allowed: true;
      readonly warnings?: readonly string[];
      /** The difference between the redacted objects. Absent: nothing was changed. */
      readonly patch?: readonly Operation[];
    };

/** The target of records. Adapters: a journal, memory. */
export interface ReviewRecorder {
  /** Returns when the record is stored. */
  record(record: ReviewRecord): Promise<void>;
}

/** One review with its input and decision. */
export interface ReviewRun {
  readonly admission: Pick<Admission, 'name'>;
  readonly review: Review;
  readonly input: ReviewInput<unknown>;
  readonly decision: AdmissionDecision;
}

export function reviewRecord(
  { admission, review, input, decision }: ReviewRun,
  about: Pick<ReviewRecord, 'version' | 'answered'>,
): ReviewRecord {
  const { object, oldObject, ...rest } = review;
  return {
    kind: 'review',
    admission: admission.name,
    ...about,
    review: {
      ...rest,
      ...(object === undefined ? {} : { object: redactEnv(object) }),
      ...(oldObject === undefined ? {} : { oldObject: redactEnv(oldObject) }),
    },
    // Plain data by law 4, which a type parameter cannot express.
    ...(input.facts === undefined ? {} : { facts: redactEnv(input.facts as Json) }),
    nowMs: input.nowMs,
    decision: recordedDecision(object, decision),
  };
}

/**
 * A patch operation names a value by its path, which redaction does not recognize. So the difference
 * is computed between redacted objects.
 */
function recordedDecision(
  before: JsonObject | undefined,
  decision: AdmissionDecision,
): RecordedDecision {
  if (!decision.allowed) return decision;
  const { object: after, ...rest } = decision;
  if (before === undefined || after === undefined) return rest;
  const patch = patchBetween(redactEnv(before), redactEnv(after));
  return patch.length === 0 ? rest : { ...rest, patch };
}
