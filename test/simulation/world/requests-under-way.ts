/** What processes have asked of the API server and not been answered. */
import type { Life } from './timeline.ts';

export interface UnderWay {
  readonly life: Life;
  /** Virtual milliseconds. */
  readonly sentMs: number;
  /** Whether it, or what follows from its answer, may change a flow. */
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

  /** Answered, or lost without anybody who waits for an answer. */
  ended(request: UnderWay): void {
    this.#requests.delete(request);
  }

  /** Whether something may still change everything. */
  get mayChange(): boolean {
    return this.#has((request) => request.mayChange);
  }

  /** Virtual milliseconds. */
  hasSentBefore(atMs: number): boolean {
    return this.#has((request) => request.sentMs < atMs);
  }

  #has(matches: (request: UnderWay) => boolean): boolean {
    for (const request of this.#requests) {
      // An answer to a process that died changes nothing any more.
      if (!request.life.alive && request.isCarriedOut) this.#requests.delete(request);
      else if (matches(request)) return true;
    }
    return false;
  }
}
