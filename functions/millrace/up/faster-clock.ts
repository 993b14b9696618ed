import type { WaitingClock } from '#shared/domain/clock.ts';

/** A clock on which `speed` seconds pass in one of `clock`; it begins at the time of `clock`. */
export function fasterClock(clock: WaitingClock, speed: number): WaitingClock {
  if (speed === 1) return clock;
  const startMs = clock.now();
  return {
    now: () => startMs + Math.round((clock.now() - startMs) * speed),
    sleep: (ms, signal) => clock.sleep(ms / speed, signal),
  };
}
