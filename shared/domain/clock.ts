/** Time as an argument: the system's in a process, a virtual one in a simulation. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}
