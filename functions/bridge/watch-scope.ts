import { underEither } from '#shared/domain/under-either.ts';
import { untilAborted } from '#shared/domain/until-aborted.ts';
import type { Watched } from './watch-set.ts';

/**
 * How much of a resource is followed: nothing until something needs it, where it need not be served, and what
 * its selector names until something makes all of it needed.
 */
export class WatchScope {
  readonly #watched: Pick<Watched, 'labelSelector' | 'neededBy'>;
  readonly #needed = new AbortController();
  #isWidened = false;
  #isComplete: boolean;
  #widened = new AbortController();

  constructor(watched: Pick<Watched, 'labelSelector' | 'neededBy'>) {
    this.#watched = watched;
    if (watched.neededBy === undefined) this.#needed.abort();
    this.#isComplete = watched.labelSelector === undefined;
  }

  /** The API server need not know the resource. */
  get isOptional(): boolean {
    return this.#watched.neededBy !== undefined;
  }

  get isNeeded(): boolean {
    return this.#needed.signal.aborted;
  }

  /** It stays needed while the process lives, as it stays widened. */
  need(): void {
    this.#needed.abort();
  }

  /** Fulfils when it is needed, or when `stop` aborts. */
  async untilNeeded(stop: AbortSignal): Promise<void> {
    await underEither([stop, this.#needed.signal], untilAborted);
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
   * It stays so while the process lives: to narrow it again would report every object that is left out
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
