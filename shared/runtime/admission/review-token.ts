/**
 * Only the API server may request reviews: it knows a secret path from the webhook configuration. A
 * review for another caller would reveal other users' rights, and take time from real ones.
 *
 * review-token-1 Tokens are compared in constant time, before the body is read.
 * review-token-2 The API server shows the URL to a user whose request failed because the webhook was unreachable. So
 *    the path keeps strangers away and proves nothing: no Job may depend on it (trust.ts).
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface ReviewTokens {
  accepts(token: string): boolean;
}

/** A path segment that the API server accepts for a webhook (lower case, digits). */
export function newReviewToken(): string {
  return randomBytes(32).toString('hex');
}

/** `current` is called for each review, because the file may be replaced. */
export function reviewTokens(current: () => readonly string[]): ReviewTokens {
  return {
    accepts: (token) => {
      const asked = digestOf(token);
      // No early exit: the time must reveal nothing.
      return current()
        .map((known) => timingSafeEqual(digestOf(known), asked))
        .includes(true);
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
