/** Temporary conditions for all processes: the stores are away, or the API server is slow. */
import type { SeededRandom } from '../seeded-random.ts';
import type { Timeline } from './timeline.ts';

export class Disturbance {
  readonly #timeline: Timeline;
  readonly #random: SeededRandom;
  #outageUntilMs = 0;
  #lateUntilMs = 0;
  #lateByMs = 0;

  constructor(timeline: Timeline, random: SeededRandom) {
    this.#timeline = timeline;
    this.#random = random;
  }

  /** Queue and journal do not answer. */
  get storesAreAway(): boolean {
    return this.#timeline.nowMs < this.#outageUntilMs;
  }

  takeStoresAway(forMs: number): void {
    this.#outageUntilMs = Math.max(this.#outageUntilMs, this.#timeline.nowMs + forMs);
  }

  answerLate(forMs: number, byMs: number): void {
    this.#lateUntilMs = this.#timeline.nowMs + forMs;
    this.#lateByMs = byMs;
  }

  /** Additional delay of the API server's next answer, in milliseconds. */
  latenessMs(): number {
    return this.#timeline.nowMs < this.#lateUntilMs ? this.#random.between(0, this.#lateByMs) : 0;
  }

  /** A value between the two, from a sequence of its own. */
  between(low: number, high: number): number {
    return this.#random.between(low, high);
  }

  end(): void {
    this.#outageUntilMs = 0;
    this.#lateUntilMs = 0;
  }
}
