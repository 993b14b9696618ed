import type { Watched } from './watch-set.ts';

/** How much of a resource is followed: what its selector names, until something makes all of it needed. */
export class WatchScope {
  readonly #watched: Pick<Watched, 'labelSelector'>;
  #isWidened = false;
  #isComplete: boolean;
  #widened = new AbortController();

  constructor(watched: Pick<Watched, 'labelSelector'>) {
    this.#watched = watched;
    this.#isComplete = watched.labelSelector === undefined;
  }

  get labelSelector(): string | undefined {
    return this.#isWidened ? undefined : this.#watched.labelSelector;
  }

  /** Every object of the resource has been listed, and not only those of the selector. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Aborts when what is followed is no longer all that is needed. Another one each time. */
  get outgrown(): AbortSignal {
    return this.#widened.signal;
  }

  /**
   * It stays so while the process lives: to narrow it again would tell of every object that is left out
   * that it is gone.
   */
  widen(): void {
    if (this.labelSelector === undefined) return;
    this.#isWidened = true;
    const outgrown = this.#widened;
    this.#widened = new AbortController();
    outgrown.abort();
  }

  /** A list of what is followed has been taken whole. */
  listed(): void {
    this.#isComplete = this.labelSelector === undefined;
  }
}
