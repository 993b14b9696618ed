/**
 * Repeatable chance: one seed gives one sequence, and named branches of it are independent of each other.
 */
import type { Random } from '#shared/domain/clock.ts';

export class SeededRandom {
  readonly #seed: number;
  #state: number;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#state = this.#seed;
  }

  /** In [0, 1). mulberry32 (public domain, Tommy Ettinger). */
  readonly next: Random = () => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  /** A separate sequence for each name, independent of how much was drawn from this one. */
  branch(name: string): SeededRandom {
    let hash = this.#seed ^ 0x811c9dc5;
    for (let at = 0; at < name.length; at += 1) {
      hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    }
    return new SeededRandom(Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) ^ (hash >>> 13));
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  /** From `low` to `high`, inclusive. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[Math.floor(this.next() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  /** Each value with this probability, in the given order. */
  some<Value>(values: readonly Value[], probability: number): readonly Value[] {
    return values.filter(() => this.chance(probability));
  }

  shuffled<Value>(values: readonly Value[]): readonly Value[] {
    const drawn = values.map((value) => ({ value, at: this.next() }));
    return drawn.sort((left, right) => left.at - right.at).map(({ value }) => value);
  }
}
