import type { WaitingClock } from '#shared/domain/clock.ts';
import { fasterClock } from '../up/faster-clock.ts';

/** An hour takes a second. */
export const nightSpeed = 3_600;

/** A Monday, four hours before the night of the example begins in Berlin. */
const nightStartMs = Date.parse('2026-03-23T15:00:00Z');

/** A clock that starts at that moment, whatever the time of the machine. */
export function nightClock(clock: WaitingClock, speed = nightSpeed): WaitingClock {
  const aheadMs = nightStartMs - clock.now();
  const faster = fasterClock(clock, speed);
  return {
    now: () => faster.now() + aheadMs,
    monotonicMs: () => faster.monotonicMs(),
    sleep: (ms, signal) => faster.sleep(ms, signal),
  };
}
