import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { systemClock } from './system-clock.ts';

it('sleeps as long as it was told', async () => {
  const started = performance.now();
  await systemClock.sleep(30);
  expect(performance.now() - started).toBeGreaterThanOrEqual(28);
});

it('wakes at once when the signal aborts', async () => {
  const stop = new AbortController();
  const started = performance.now();
  const slept = systemClock.sleep(10_000, stop.signal);
  stop.abort();
  await slept;
  expect(performance.now() - started).toBeLessThan(1_000);
});

it('does not sleep when the signal is aborted already', async () => {
  const started = performance.now();
  await systemClock.sleep(10_000, AbortSignal.abort());
  expect(performance.now() - started).toBeLessThan(1_000);
});

it('leaves no listener on a signal that outlives the sleep', async () => {
  const stop = new AbortController();
  await systemClock.sleep(1, stop.signal);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});
