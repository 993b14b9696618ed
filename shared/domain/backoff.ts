export interface Backoff {
  /** Delay before the first retry, in milliseconds. */
  readonly initialMs: number;
  readonly factor: number;
  /** No delay exceeds this, in milliseconds. */
  readonly capMs: number;
}

/**
 * The delay before retry number `retry` (1 = first), without jitter. It is clamped before the
 * multiplication, so a high count waits exactly the cap (argo-workflows#15277 overflowed).
 */
export function backoffMs(backoff: Backoff, retry: number): number {
  const exponent = Math.max(0, retry - 1);
  const grown = backoff.initialMs * backoff.factor ** exponent;
  return Number.isFinite(grown) ? Math.min(grown, backoff.capMs) : backoff.capMs;
}

/** Spreads a delay over [1 - spread, 1] of its length; `random` is in [0, 1). */
export function withJitter(delayMs: number, random: number, spread = 0.5): number {
  return Math.round(delayMs * (1 - spread * random));
}
