/** Time as an argument: the system's in a process, a virtual one in a simulation. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** What loops wait through, so that a simulation can run them on virtual time. */
export interface WaitingClock extends Clock {
  /** Fulfilled after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** In [0, 1); the system's source, or the seeded one of a simulation. */
export type Random = () => number;
