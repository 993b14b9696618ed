import { expect, it } from 'vitest';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { ReflectorRetry } from './reflector-retry.ts';

it('counts failures in a row, and begins anew when a watch has made progress', () => {
  const retry = new ReflectorRetry({
    clock: virtualClock(0),
    random: () => 0.5,
    reconnect: { initialMs: 100, capMs: 1_000, factor: 2 },
    onFailure: () => undefined,
  });
  retry.countOnly();
  retry.countOnly();
  expect(retry.failures).toBe(2);
  retry.progressed();
  expect(retry.failures).toBe(0);
});
