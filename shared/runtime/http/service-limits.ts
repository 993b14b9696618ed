/** What a service puts up with. Times in milliseconds. */
export interface ServiceLimits {
  /** Events worked on at once; more are answered 503. */
  readonly maxInFlight: number;
  readonly bodyBytes: number;
  /** Until the whole body must have arrived, from the last header on. */
  readonly bodyTimeoutMs: number;
  /** Bodies read at once; the oldest gives way to one more. */
  readonly maxBodies: number;
  /** Open at once; the oldest without work gives way to one more. */
  readonly maxConnections: number;
  /** Of all headers of one request together. */
  readonly headerBytes: number;
  /** Until the last header must have arrived. */
  readonly headersTimeoutMs: number;
  /** Until the whole request must have arrived. */
  readonly requestTimeoutMs: number;
  /** Share of the last second that the event loop was busy, above which events are shed. */
  readonly maxEventLoopUtilization: number;
  readonly maxEventLoopDelayMs: number;
  /** How often pressure is measured. */
  readonly pressureSampleMs: number;
  /** How long work under way may take after `drain`. */
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

/** The API server takes objects of up to 3 MiB, a review has two of them, and something around them. */
const reviewBytes = 2 * 3 * 1024 * 1024 + 256 * 1024;

/** Of a webhook: few large bodies at once, and a sender that waits seconds at most. */
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
