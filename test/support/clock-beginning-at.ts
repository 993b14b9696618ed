import type { WaitingClock } from '#shared/domain/clock.ts';

/** Shows `startMs` now and then runs at the speed of `clock`. */
export function clockBeginningAt(clock: WaitingClock, startMs: number): WaitingClock {
  const aheadMs = startMs - clock.now();
  return {
    now: () => clock.now() + aheadMs,
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
