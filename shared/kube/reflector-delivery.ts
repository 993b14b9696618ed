import { backoffMs, withJitter, type Backoff } from '#shared/domain/backoff.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import type { Change, ReflectorFailure, ReflectorOptions } from './reflector-options.ts';

export interface DeliveryOptions {
  readonly deliver: ReflectorOptions['deliver'];
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly redeliver: Backoff;
  readonly batchLimit: number;
  readonly onFailure: (failure: ReflectorFailure) => void;
}

/**
 * Changes on their way to the receiver, in order, each until it is taken. What an abort left over
 * is delivered by the next `drain`.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  #waiting: readonly Change[] = [];
  #redeliveries = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  get redeliveries(): number {
    return this.#redeliveries;
  }

  push(changes: readonly Change[]): void {
    this.#waiting = this.#waiting.length === 0 ? changes : [...this.#waiting, ...changes];
  }

  /** Fulfils when everything is taken or `signal` aborts. Never rejects. */
  async drain(signal: AbortSignal): Promise<void> {
    const { batchLimit, clock } = this.#options;
    let failures = 0;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const batch = this.#waiting.slice(0, batchLimit);
      try {
        await this.#options.deliver(batch, signal);
        this.#waiting = this.#waiting.slice(batch.length);
        failures = 0;
      } catch (error) {
        failures += 1;
        await clock.sleep(this.#failed(error, failures), signal);
      }
    }
  }

  #failed(error: unknown, failures: number): number {
    const { redeliver, random, onFailure } = this.#options;
    const retryInMs = withJitter(backoffMs(redeliver, failures), random());
    this.#redeliveries += 1;
    onFailure({ during: 'deliver', error, failures, retryInMs });
    return retryInMs;
  }
}
