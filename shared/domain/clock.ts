/** Wall time as an argument: the system's in a process, a virtual one in a simulation. */
export interface Clock {
  /**
   * Milliseconds since the epoch. Jumps when the clock is set: use it for timestamps, not for durations.
   */
  now(): number;
}

/** Measures durations. */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary moment; never goes back and never jumps. */
  monotonicMs(): number;
}

/** Loops wait with it, so that a simulation can run them in virtual time. */
export interface WaitingClock extends Clock, MonotonicClock {
  /** Fulfilled after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A number in [0, 1), from the system or from the seed of a simulation. */
export type Random = () => number;
