import { underEither } from '#shared/domain/under-either.ts';
import { untilAborted } from '#shared/domain/until-aborted.ts';
import type { Watched } from './watch-set.ts';

/**
 * Decides how much of a resource is followed. An optional resource is not followed until an object needs it.
 * Then its selector applies until all objects of the resource are needed.
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

  /** The API server need not serve the resource. */
  get isOptional(): boolean {
    return this.#watched.neededBy !== undefined;
  }

  get isNeeded(): boolean {
    return this.#needed.signal.aborted;
  }

  /** The resource stays needed, as it stays widened, while the process lives. */
  need(): void {
    this.#needed.abort();
  }

  /** Resolves when the resource is needed, or when `stop` aborts. */
  async untilNeeded(stop: AbortSignal): Promise<void> {
    await underEither([stop, this.#needed.signal], untilAborted);
  }

  get labelSelector(): string | undefined {
    return this.#isWidened ? undefined : this.#watched.labelSelector;
  }

  /** Every object of the resource has been listed, not only those of the selector. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Aborts when more is needed than is followed. Each widening has a signal of its own. */
  get outgrown(): AbortSignal {
    return this.#widened.signal;
  }

  /**
   * The scope stays widened while the process lives. Narrowing it would report every object outside the
   * selector as gone.
   */
  widen(): void {
    if (this.labelSelector === undefined) return;
    this.#isWidened = true;
    const outgrown = this.#widened;
    this.#widened = new AbortController();
    outgrown.abort();
  }

  /** The list of what is followed is complete. */
  listed(): void {
    this.#isComplete = this.labelSelector === undefined;
  }
}
