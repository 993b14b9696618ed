/**
 * Who may ask for reviews: the API server, which has learned a secret path from the webhook configuration.
 * A review of anybody else would tell that user what others may do, and take the time of real ones.
 *
 * RT1 Compared in constant time, and before anything of the body is read.
 * RT2 The API server shows the URL to a user whose request failed because it could not reach the webhook. So
 *     the path keeps strangers away and proves nothing: no Job may depend on it (trust.ts).
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface ReviewTokens {
  accepts(token: string): boolean;
}

/** A segment of a path that the API server takes for a webhook (lower case, digits). */
export function newReviewToken(): string {
  return randomBytes(32).toString('hex');
}

/** `current` is asked for each review: a file may be replaced. */
export function reviewTokens(current: () => readonly string[]): ReviewTokens {
  return {
    accepts: (token) => {
      const asked = digestOf(token);
      // No early end: how long it takes tells nothing.
      return current()
        .map((known) => timingSafeEqual(digestOf(known), asked))
        .includes(true);
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
