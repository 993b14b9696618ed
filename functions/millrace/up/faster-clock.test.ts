import { expect, test } from 'vitest';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { fasterClock } from './faster-clock.ts';

function steppedClock() {
  const slept: number[] = [];
  let nowMs = 1_000_000;
  const clock: WaitingClock = {
    now: () => nowMs,
    sleep: async (ms) => {
      slept.push(ms);
    },
  };
  return { clock, slept, pass: (ms: number) => (nowMs += ms) };
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

test('at speed 1 it is the clock itself', () => {
  const { clock } = steppedClock();
  expect(fasterClock(clock, 1)).toBe(clock);
});
