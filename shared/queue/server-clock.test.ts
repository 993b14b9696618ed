import { expect, it } from 'vitest';
import { ServerClock } from './server-clock.ts';

it('reckons a time of the server by how long ago the server told its own', () => {
  let monotonicMs = 500;
  const clock = new ServerClock(() => monotonicMs);
  clock.set(1_000_000);
  monotonicMs += 300;
  expect(clock.msUntil(1_001_000)).toBe(700);
});

it('lets nobody wait for what has passed, nor before the server told its time', () => {
  const clock = new ServerClock(() => 0);
  expect(clock.msUntil(5_000)).toBe(0);
  clock.set(5_000);
  expect(clock.msUntil(4_000)).toBe(0);
});
