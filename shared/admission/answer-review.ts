/**
 * From a review to its answer.
 *
 * answer-1 A failure is not a denial. Errors thrown here are answered as a failed call, and the API server
 *    applies the failurePolicy. A denial would refuse the request even under Ignore, and its message would
 *    claim that the object was judged.
 * answer-2 Time is up after the budget, even if `lookUp` is still waiting. A decision cannot be interrupted;
 *    a late one is dropped, as the API server would do.
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
  /** When the review arrived, in monotonic milliseconds of the clock. */
  readonly arrivedMs: number;
  readonly budgetMs: number;
}

export interface AnsweredReview {
  /** The AdmissionReview to send. */
  readonly response: JsonObject;
  readonly run: ReviewRun;
}

/**
 * Throws MR_REVIEW_UNEXPECTED for a review that the admission does not cover, MR_REVIEW_LATE after the
 * budget, and the errors of `lookUp` and `decide`.
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
    // Its rejection on wake-up is no longer awaited.
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
