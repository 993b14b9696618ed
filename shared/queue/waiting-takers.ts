/** Those who wait for something to be handed to them: first come, first served. */
export class WaitingTakers<Value> {
  readonly #waiting = new Set<(value: Value | undefined) => void>();

  get size(): number {
    return this.#waiting.size;
  }

  /** The next value handed over; undefined when `signal` aborts or the queue closes first. */
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

  /** False when nobody waits any more: the value is still the caller's. */
  hand(value: Value): boolean {
    const [first] = this.#waiting;
    first?.(value);
    return first !== undefined;
  }

  /** Sends everybody away empty-handed. */
  dismiss(): void {
    for (const settle of [...this.#waiting]) settle(undefined);
  }
}
