import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { systemClock } from './system-clock.ts';

/** Longer than the timeout of a test. */
const hourMs = 3_600_000;

it('the clock sleeps for the given time', async () => {
  const started = performance.now();
  await systemClock.sleep(30);
  expect(performance.now() - started).toBeGreaterThanOrEqual(28);
});

it('wakes at once when the signal aborts', async () => {
  const stop = new AbortController();
  const slept = systemClock.sleep(hourMs, stop.signal);
  stop.abort();
  await expect(slept).resolves.toBeUndefined();
});

it('does not sleep when the signal is aborted already', async () => {
  await expect(systemClock.sleep(hourMs, AbortSignal.abort())).resolves.toBeUndefined();
});

it('leaves no listener on a signal that outlives the sleep', async () => {
  const stop = new AbortController();
  await systemClock.sleep(1, stop.signal);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});
