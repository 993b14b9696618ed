/**
 * The clock of a server as it was told last, carried on by the monotonic one: good for some seconds
 * and untouched by the wall clock of this process.
 */
export class ServerClock {
  readonly #monotonicMs: () => number;
  #aheadMs: number | undefined;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  /** The server's time has just been read, in milliseconds since the epoch. */
  set(serverMs: number): void {
    this.#aheadMs = serverMs - this.#monotonicMs();
  }

  /** How long until the server's clock shows this, in milliseconds; 0 when it does or is not known. */
  msUntil(serverMs: number): number {
    if (this.#aheadMs === undefined) return 0;
    return Math.max(0, serverMs - this.#aheadMs - this.#monotonicMs());
  }
}
