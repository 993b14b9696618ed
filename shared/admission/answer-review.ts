/**
 * From a review to its answer.
 *
 * A1 What fails is no denial: the errors thrown here are answered as a failed call, and the API server
 *    does what the failurePolicy says for that. A denial would refuse the request even under Ignore,
 *    and tell the user that somebody judged it.
 * A2 Time is up after the budget, whatever `lookUp` waits for. A decision cannot be interrupted; one
 *    that comes too late is thrown away, as the API server would do.
 */
import type { Review } from '#shared/domain/admission-decision.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { resourceKey, type JsonObject } from '#shared/domain/objects.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { isReviewed, type Admission } from './admission.ts';
import type { ReviewRun } from './review-record.ts';
import { reviewResponse } from './review-response.ts';

export interface AnswerOptions {
  readonly cluster: Inquiry;
  readonly clock: WaitingClock;
  /** When the review arrived, as the clock's monotonic milliseconds. */
  readonly arrivedMs: number;
  readonly budgetMs: number;
}

export interface AnsweredReview {
  /** The AdmissionReview to send. */
  readonly response: JsonObject;
  readonly run: ReviewRun;
}

/**
 * Throws MR_REVIEW_UNEXPECTED for what the admission does not review, MR_REVIEW_LATE after the budget,
 * and whatever `lookUp` and `decide` throw.
 */
export async function answerReview(
  admission: Admission,
  review: Review,
  options: AnswerOptions,
): Promise<AnsweredReview> {
  requireReviewed(admission, review);
  const facts = await looked(admission, review, options);
  const input = { facts, nowMs: options.clock.now() };
  const decision = admission.decide(review, input);
  const response = reviewResponse(admission, review, decision);
  if (remainingMs(options) <= 0) throw late(admission, options);
  return { response, run: { admission, review, input, decision } };
}

function requireReviewed(admission: Admission, review: Review): void {
  if (isReviewed(admission, review)) return;
  const { operation, resource, subresource } = review;
  const part = subresource === '' ? '' : `/${subresource}`;
  const detail = `${operation} of ${resourceKey(resource)}${part} in version ${resource.version}`;
  throw new MillraceError('MR_REVIEW_UNEXPECTED', { admission: admission.name, detail });
}

async function looked(
  admission: Admission,
  review: Review,
  options: AnswerOptions,
): Promise<unknown> {
  const left = remainingMs(options);
  if (left <= 0) throw late(admission, options);
  if (admission.lookUp === undefined) return undefined;
  const timeIsUp = new AbortController();
  const found = new AbortController();
  const expired = options.clock.sleep(left, found.signal).then((): never => {
    timeIsUp.abort();
    throw late(admission, options);
  });
  try {
    return await Promise.race([
      admission.lookUp(review, options.cluster, timeIsUp.signal),
      expired,
    ]);
  } finally {
    // It throws when it is woken, and nobody waits for it any more.
    expired.catch(() => undefined);
    found.abort();
  }
}

function remainingMs({ clock, arrivedMs, budgetMs }: AnswerOptions): number {
  return arrivedMs + budgetMs - clock.monotonicMs();
}

function late({ name }: Admission, { budgetMs }: AnswerOptions): MillraceError {
  return new MillraceError('MR_REVIEW_LATE', { admission: name, budgetMs });
}
