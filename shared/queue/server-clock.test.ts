import { expect, it } from 'vitest';
import { ServerClock } from './server-clock.ts';

it('the wait until a time of the server counts from its last answer', () => {
  let monotonicMs = 500;
  const clock = new ServerClock(() => monotonicMs);
  clock.set(1_000_000);
  monotonicMs += 300;
  expect(clock.msUntil(1_001_000)).toBe(700);
});

it('there is no wait for a past time, nor before the first answer of the server', () => {
  const clock = new ServerClock(() => 0);
  expect(clock.msUntil(5_000)).toBe(0);
  clock.set(5_000);
  expect(clock.msUntil(4_000)).toBe(0);
});
