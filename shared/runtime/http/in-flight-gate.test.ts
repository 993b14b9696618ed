import { expect, it, onTestFinished, vi } from 'vitest';
import { InFlightGate } from './in-flight-gate.ts';

it('admits no more than its limit', () => {
  const gate = new InFlightGate(2);
  const first = gate.tryEnter();
  expect(gate.tryEnter()).toBeDefined();
  expect(gate.tryEnter()).toBeUndefined();
  first?.();
  expect(gate.tryEnter()).toBeDefined();
});

it('counts a release once, however often it is called', () => {
  const gate = new InFlightGate(2);
  const release = gate.tryEnter();
  gate.tryEnter();
  release?.();
  release?.();
  expect(gate.inFlight).toBe(1);
});

it('the gate reports when everything is over, or that it is not', async () => {
  const gate = new InFlightGate(2);
  expect(await gate.idleWithin(0)).toBe(true);
  const release = gate.tryEnter();
  expect(await gate.idleWithin(10)).toBe(false);
  const idle = gate.idleWithin(10_000);
  release?.();
  expect(await idle).toBe(true);
});

it('is not idle while one of two is worked on, and keeps no timer once it is', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const gate = new InFlightGate(2);
  const [first, second] = [gate.tryEnter(), gate.tryEnter()];
  const soon = gate.idleWithin(10);
  const later = gate.idleWithin(1_000);
  first?.();
  await vi.advanceTimersByTimeAsync(10);
  expect(await soon).toBe(false);
  second?.();
  expect(await later).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
