import type { WaitingClock } from '#shared/domain/clock.ts';

/**
 * A clock on which `speed` seconds pass in one of `clock`; it begins at the time of `clock`. It is a
 * clock of its own: who sets the one of the machine does not move it.
 */
export function fasterClock(clock: WaitingClock, speed: number): WaitingClock {
  if (speed === 1) return clock;
  const [startMs, originMs] = [clock.now(), clock.monotonicMs()];
  const passedMs = (): number => (clock.monotonicMs() - originMs) * speed;
  return {
    now: () => startMs + Math.round(passedMs()),
    monotonicMs: passedMs,
    sleep: (ms, signal) => clock.sleep(ms / speed, signal),
  };
}
