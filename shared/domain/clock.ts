/** Wall time as an argument: the system's in a process, a virtual one in a simulation. */
export interface Clock {
  /** Milliseconds since the epoch. Steps when somebody sets the clock: for stamps, not for durations. */
  now(): number;
}

/** What durations are measured by. */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary moment; never goes back and never jumps. */
  monotonicMs(): number;
}

/** What loops wait through, so that a simulation can run them on virtual time. */
export interface WaitingClock extends Clock, MonotonicClock {
  /** Fulfilled after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** In [0, 1); the system's source, or the seeded one of a simulation. */
export type Random = () => number;
