import { expect, it } from 'vitest';
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

it('tells when everything is over, or that it is not', async () => {
  const gate = new InFlightGate(2);
  expect(await gate.idleWithin(0)).toBe(true);
  const release = gate.tryEnter();
  expect(await gate.idleWithin(10)).toBe(false);
  const idle = gate.idleWithin(10_000);
  release?.();
  expect(await idle).toBe(true);
});
