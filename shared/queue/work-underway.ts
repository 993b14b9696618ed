/** Calls that have begun and not ended: wait for them before closing a connection. */
export class WorkUnderway {
  readonly #calls = new Set<Promise<unknown>>();

  get size(): number {
    return this.#calls.size;
  }

  /** Returns what it is given; a rejection stays the caller's. */
  track<Result>(call: Promise<Result>): Promise<Result> {
    const forget = () => this.#calls.delete(call);
    this.#calls.add(call);
    call.then(forget, forget);
    return call;
  }

  /** Resolves when all that is underway now has ended, well or not. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }
}
