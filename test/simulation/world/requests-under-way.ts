/** What processes have asked of the API server and not been answered: it may still change everything. */
import type { Life } from './timeline.ts';

interface UnderWay {
  readonly life: Life;
  isCarriedOut: boolean;
}

export class RequestsUnderWay {
  readonly #requests = new Set<UnderWay>();

  sent(life: Life): UnderWay {
    const request = { life, isCarriedOut: false };
    this.#requests.add(request);
    return request;
  }

  /** Answered, or lost without anybody who waits for an answer. */
  ended(request: UnderWay): void {
    this.#requests.delete(request);
  }

  /** An answer to a process that died changes nothing any more. */
  get any(): boolean {
    for (const request of this.#requests) {
      if (request.life.alive || !request.isCarriedOut) return true;
      this.#requests.delete(request);
    }
    return false;
  }
}
