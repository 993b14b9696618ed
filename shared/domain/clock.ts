/**
 * Time as a process meets it: the system's, or the virtual one of the simulation. Decisions never
 * see it; they get `nowMs` as an argument (law 4).
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Fulfilled after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** In [0, 1); the system's source, or the seeded one of the simulation. */
export type Random = () => number;
