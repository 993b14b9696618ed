import type { WaitingClock } from '#shared/domain/clock.ts';

/**
 * A clock that starts at the time of `clock` and runs `speed` times as fast. It is independent: a change of the
 * machine's time does not move it.
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
