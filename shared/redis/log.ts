/** The log of the Redis adapters; a pino logger fits. Fields first, then a constant message. */
export interface RedisLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export const silentLog: RedisLog = { info: () => undefined, warn: () => undefined };

/**
 * Passes the first warning on at once, then at most one per `intervalMs`, with the number of
 * suppressed ones. A lost connection reports itself several times a second.
 */
export function rateLimitedWarnings(
  log: RedisLog,
  intervalMs: number,
  monotonicMs: () => number = () => performance.now(),
): (fields: object, message: string) => void {
  let nextMs = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  return (fields, message) => {
    if (monotonicMs() < nextMs) {
      leftOut += 1;
      return;
    }
    nextMs = monotonicMs() + intervalMs;
    log.warn(leftOut === 0 ? fields : { ...fields, leftOut }, message);
    leftOut = 0;
  };
}
