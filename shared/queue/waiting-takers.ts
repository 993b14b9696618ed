/** Takers that wait for a value: first come, first served. */
export class WaitingTakers<Value> {
  readonly #waiting = new Set<(value: Value | undefined) => void>();

  get size(): number {
    return this.#waiting.size;
  }

  /** The next value. Undefined: `signal` aborts or the queue closes first. */
  wait(signal: AbortSignal): Promise<Value | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const settle = (value: Value | undefined) => {
        this.#waiting.delete(settle);
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      };
      const onAbort = () => settle(undefined);
      signal.addEventListener('abort', onAbort);
      this.#waiting.add(settle);
    });
  }

  /** False if no taker waits: the caller keeps the value. */
  hand(value: Value): boolean {
    const [first] = this.#waiting;
    first?.(value);
    return first !== undefined;
  }

  /** Ends all waits without a value. */
  dismiss(): void {
    for (const settle of [...this.#waiting]) settle(undefined);
  }
}
