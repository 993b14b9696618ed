/**
 * Counts running requests and admits no more than its limit. CPU measurements do not show load that waits for
 * the API server.
 */
export class InFlightGate {
  readonly limit: number;
  #inFlight = 0;
  #whenIdle = new Set<() => void>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get isFull(): boolean {
    return this.#inFlight >= this.limit;
  }

  /**
   * Returns a release function, to be called when the work is over (a second call does nothing). Undefined if
   * full.
   */
  tryEnter(): (() => void) | undefined {
    if (this.isFull) return undefined;
    this.#inFlight += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#leave();
    };
  }

  /** True when everything is over before `limitMs` milliseconds have passed. */
  async idleWithin(limitMs: number): Promise<boolean> {
    if (this.#inFlight === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onIdle = (): void => resolve(true);
    const timer = setTimeout(() => resolve(false), limitMs);
    this.#whenIdle.add(onIdle);
    const idle = await promise;
    clearTimeout(timer);
    this.#whenIdle.delete(onIdle);
    return idle;
  }

  #leave(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#whenIdle.forEach((notify) => notify());
  }
}
