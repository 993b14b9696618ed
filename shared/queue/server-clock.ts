/**
 * A server's clock as it was last reported, continued by the monotonic clock. Exact for some seconds,
 * and independent of this process's wall clock.
 */
export class ServerClock {
  readonly #monotonicMs: () => number;
  #aheadMs: number | undefined;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  /** Sets the server's time that was just read, in milliseconds since the epoch. */
  set(serverMs: number): void {
    this.#aheadMs = serverMs - this.#monotonicMs();
  }

  /**
   * Milliseconds until the server's clock shows this time; 0 if it is past or the clock is unknown.
   */
  msUntil(serverMs: number): number {
    if (this.#aheadMs === undefined) return 0;
    return Math.max(0, serverMs - this.#aheadMs - this.#monotonicMs());
  }
}
