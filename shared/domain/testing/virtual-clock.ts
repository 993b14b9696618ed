import type { WaitingClock } from '../clock.ts';

export interface VirtualClock extends WaitingClock {
  /** The number of current sleepers. */
  sleepers(): number;
  /** Lets `ms` milliseconds pass at once, then lets every due sleeper continue. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock: moves its time by `byMs` milliseconds and nothing else. */
  step(byMs: number): void;
}

/** Starts at `beginningMs` (milliseconds since the epoch). Time stands still until `advance`. */
export function virtualClock(beginningMs = 0): VirtualClock {
  let nowMs = 0;
  let steppedMs = 0;
  const sleeping = new Set<() => void>();
  return {
    now: () => beginningMs + nowMs + steppedMs,
    monotonicMs: () => nowMs,
    sleepers: () => sleeping.size,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const untilMs = nowMs + ms;
        const wake = () => {
          if (nowMs < untilMs && signal?.aborted !== true) return;
          sleeping.delete(wake);
          resolve();
        };
        sleeping.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
        wake();
      }),
    advance: async (ms) => {
      nowMs += ms;
      for (const wake of [...sleeping]) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
    step: (byMs) => {
      steppedMs += byMs;
    },
  };
}
