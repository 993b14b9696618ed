/** Decides from a delivery and earlier failures what to do with the lease. Pure. */
import { backoffMs, withJitter, type Backoff } from '#shared/domain/backoff.ts';
import type { Delivery } from './deliver.ts';

export type Settlement =
  | { readonly kind: 'ack' }
  /** Acknowledge and run once more at once. */
  | { readonly kind: 'again' }
  | { readonly kind: 'later'; readonly afterMs: number; readonly failed: boolean }
  | { readonly kind: 'park'; readonly reason: string };

export interface SettleInput {
  /** Failed attempts before this one. */
  readonly failures: number;
  /** In [0, 1). */
  readonly random: number;
}

export const retryBackoff: Backoff = { initialMs: 200, factor: 2, capMs: 60_000 };

/** After this many failures an item is parked. The sweep adds it again. */
export const maxFailures = 8;

/** People have to correct keys and clocks, so retries are slow. */
const refusedRetryMs = 15_000;

const shortestLaterMs = 250;
const longestLaterMs = 2_000;

/**
 * A fresh event ends each of these delays early (queue-4). A requeue means success, so earlier failures
 * must be forgotten. Only an acknowledgement forgets them, so such an item runs once more first, and
 * then waits without failures.
 */
export function settle(delivery: Delivery, { failures, random }: SettleInput): Settlement {
  switch (delivery.kind) {
    case 'done':
      return { kind: 'ack' };
    case 'requeue':
      if (failures > 0) return { kind: 'again' };
      return { kind: 'later', afterMs: delivery.afterMs, failed: false };
    case 'later':
      return { kind: 'later', afterMs: laterMs(delivery.afterMs, random), failed: false };
    case 'unreachable':
      return { kind: 'later', afterMs: laterMs(undefined, random), failed: false };
    case 'refused':
      return { kind: 'later', afterMs: laterMs(refusedRetryMs, random), failed: false };
    case 'retry':
      return failures + 1 >= maxFailures
        ? { kind: 'park', reason: `failed ${failures + 1} times, last: ${delivery.detail}` }
        : {
            kind: 'later',
            afterMs: retryMs(delivery.afterMs, failures, random),
            failed: true,
          };
    case 'parked':
      return { kind: 'park', reason: delivery.detail };
  }
}

/** Never before the requested time, and spread beyond it, so that not all items come back at once. */
function laterMs(askedMs: number | undefined, random: number): number {
  const spreadMs = random * (longestLaterMs - shortestLaterMs);
  return Math.round(askedMs === undefined ? shortestLaterMs + spreadMs : askedMs + spreadMs / 4);
}

function retryMs(askedMs: number | undefined, failures: number, random: number): number {
  const ownMs = withJitter(backoffMs(retryBackoff, failures + 1), random);
  return Math.max(askedMs ?? 0, ownMs);
}
