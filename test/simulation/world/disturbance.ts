/** What lasts for a while and concerns everybody: the stores are away, the API server answers late. */
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

  /** Queue and journal answer nobody. */
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

  /** By how much the next answer of the API server comes later than its way takes, in milliseconds. */
  latenessMs(): number {
    return this.#timeline.nowMs < this.#lateUntilMs ? this.#random.between(0, this.#lateByMs) : 0;
  }

  /** Between the two, from a sequence that nothing else draws from. */
  between(low: number, high: number): number {
    return this.#random.between(low, high);
  }

  end(): void {
    this.#outageUntilMs = 0;
    this.#lateUntilMs = 0;
  }
}
