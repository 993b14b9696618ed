import type { WaitingClock } from '../clock.ts';

export interface VirtualClock extends WaitingClock {
  /** How many wait now. */
  sleepers(): number;
  /** Lets so many milliseconds pass at once, and then everybody whose time has come do their next thing. */
  advance(ms: number): Promise<void>;
  /** Somebody sets the wall clock: what it shows moves by so many milliseconds, and nothing else. */
  step(byMs: number): void;
}

/** Begins at `beginningMs`, milliseconds since the epoch; time stands still until `advance`. */
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
