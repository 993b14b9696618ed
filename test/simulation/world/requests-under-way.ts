/** The unanswered requests of processes to the API server. */
import type { Life } from './timeline.ts';

export interface UnderWay {
  readonly life: Life;
  /** Virtual milliseconds. */
  readonly sentMs: number;
  /** Whether it, or the work after its answer, may change a flow. */
  readonly mayChange: boolean;
  isCarriedOut: boolean;
}

export class RequestsUnderWay {
  readonly #requests = new Set<UnderWay>();

  sent(request: Omit<UnderWay, 'isCarriedOut'>): UnderWay {
    const underWay = { ...request, isCarriedOut: false };
    this.#requests.add(underWay);
    return underWay;
  }

  /** Answered, or lost without a waiting process. */
  ended(request: UnderWay): void {
    this.#requests.delete(request);
  }

  /** Whether a running request may still change something. */
  get mayChange(): boolean {
    return this.#has((request) => request.mayChange);
  }

  /** Virtual milliseconds. */
  hasSentBefore(atMs: number): boolean {
    return this.#has((request) => request.sentMs < atMs);
  }

  #has(matches: (request: UnderWay) => boolean): boolean {
    for (const request of this.#requests) {
      // An answer to a dead process has no effect.
      if (!request.life.alive && request.isCarriedOut) this.#requests.delete(request);
      else if (matches(request)) return true;
    }
    return false;
  }
}
