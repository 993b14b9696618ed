/** Limits of a service. Times are in milliseconds. */
export interface ServiceLimits {
  /** Most events in progress; more are answered 503. */
  readonly maxInFlight: number;
  readonly bodyBytes: number;
  /** From the last header until the whole body must have arrived. */
  readonly bodyTimeoutMs: number;
  /** Most bodies read at once; beyond it the oldest is given up. */
  readonly maxBodies: number;
  /** Most open connections; beyond it the oldest without work is closed. */
  readonly maxConnections: number;
  /** Total size of one request's headers. */
  readonly headerBytes: number;
  /** Until the last header must have arrived. */
  readonly headersTimeoutMs: number;
  /** Until the whole request must have arrived. */
  readonly requestTimeoutMs: number;
  /** Share of the last second in which the event loop may be busy before events are shed. */
  readonly maxEventLoopUtilization: number;
  readonly maxEventLoopDelayMs: number;
  /** Interval between two measurements of pressure. */
  readonly pressureSampleMs: number;
  /** Time for running work to end after `drain`. */
  readonly drainMs: number;
}

export const defaultLimits: ServiceLimits = {
  maxInFlight: 64,
  bodyBytes: 1024 * 1024,
  bodyTimeoutMs: 5_000,
  maxBodies: 64,
  maxConnections: 1_024,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 30_000,
  maxEventLoopUtilization: 0.95,
  maxEventLoopDelayMs: 200,
  pressureSampleMs: 1_000,
  drainMs: 25_000,
};

/** The API server accepts objects of up to 3 MiB; a review has two of them and some overhead. */
const reviewBytes = 2 * 3 * 1024 * 1024 + 256 * 1024;

/** For a webhook: few large bodies at once, and a sender that waits seconds at most. */
export const admissionLimits: ServiceLimits = {
  ...defaultLimits,
  maxInFlight: 32,
  bodyBytes: reviewBytes,
  bodyTimeoutMs: 2_000,
  maxBodies: 16,
  headersTimeoutMs: 2_000,
  requestTimeoutMs: 5_000,
  drainMs: 10_000,
};
