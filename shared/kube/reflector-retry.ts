import { backoffMs, withJitter, type Backoff } from '#shared/domain/backoff.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import type { ReflectorFailure } from './reflector-options.ts';

export interface RetryOptions {
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly reconnect: Backoff;
  readonly onFailure: (failure: ReflectorFailure) => void;
}

/** The pauses between attempts at the server. They grow until a watch makes progress. */
export class ReflectorRetry {
  readonly #options: RetryOptions;
  #failures = 0;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Resets the count of failures. */
  progressed(): void {
    this.#failures = 0;
  }

  /** Counts a failure that needs no pause. */
  countOnly(): void {
    this.#failures += 1;
  }

  /** A pause without a failure: the server closed a watch too soon. */
  async pause(signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(this.#nextDelay(), signal);
  }

  /** Reports the failure and waits, at least as long as the server asked for. Returns how long. */
  async backOff(during: 'list' | 'watch', error: unknown, signal: AbortSignal): Promise<number> {
    const asked = error instanceof MillraceError ? (error.retryAfterMs ?? 0) : 0;
    const retryInMs = Math.max(asked, this.#nextDelay());
    this.#options.onFailure({ during, error, failures: this.#failures, retryInMs });
    await this.#options.clock.sleep(retryInMs, signal);
    return retryInMs;
  }

  #nextDelay(): number {
    const { reconnect, random } = this.#options;
    this.#failures += 1;
    return withJitter(backoffMs(reconnect, this.#failures), random());
  }
}
