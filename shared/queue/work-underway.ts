/** Calls that have begun and not ended. Wait for them before closing a connection. */
export class WorkUnderway {
  readonly #calls = new Set<Promise<unknown>>();

  get size(): number {
    return this.#calls.size;
  }

  /** Returns its argument; a rejection stays the caller's. */
  track<Result>(call: Promise<Result>): Promise<Result> {
    const forget = () => this.#calls.delete(call);
    this.#calls.add(call);
    call.then(forget, forget);
    return call;
  }

  /** Resolves when every call that runs now has ended, successfully or not. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }
}
