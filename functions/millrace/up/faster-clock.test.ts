import { expect, test } from 'vitest';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { fasterClock } from './faster-clock.ts';

function steppedClock() {
  const slept: number[] = [];
  let nowMs = 1_000_000;
  let monotonicMs = 500;
  const clock: WaitingClock = {
    now: () => nowMs,
    monotonicMs: () => monotonicMs,
    sleep: async (ms) => {
      slept.push(ms);
    },
  };
  const step = (ms: number) => (nowMs += ms);
  const pass = (ms: number) => {
    step(ms);
    monotonicMs += ms;
  };
  return { clock, slept, pass, step };
}

test('a minute passes in one second at sixty times the speed, from the same moment on', async () => {
  const { clock, slept, pass } = steppedClock();
  const fast = fasterClock(clock, 60);
  expect(fast.now()).toBe(1_000_000);
  pass(1_000);
  expect(fast.now()).toBe(1_060_000);
  await fast.sleep(60_000);
  expect(slept).toEqual([1_000]);
});

test('durations pass as fast as its time does', () => {
  const { clock, pass } = steppedClock();
  const fast = fasterClock(clock, 60);
  const startedMs = fast.monotonicMs();
  pass(1_000);
  expect(fast.monotonicMs() - startedMs).toBe(60_000);
});

test('does not move when the clock of the machine is set', () => {
  const { clock, step } = steppedClock();
  const fast = fasterClock(clock, 60);
  step(-3_600_000);
  expect(fast.now()).toBe(1_000_000);
});

test('at speed 1 it is the clock itself', () => {
  const { clock } = steppedClock();
  expect(fasterClock(clock, 1)).toBe(clock);
});
