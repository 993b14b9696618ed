import { expect, it, vi } from 'vitest';
import { patienceMs } from './patience.ts';

it('waits longer than vitest does by itself, and returns when the condition holds', async () => {
  const since = performance.now();
  const isLate = () => performance.now() - since > 1_200;
  await vi.waitFor(() => expect(isLate()).toBe(true));
  await expect.poll(isLate).toBe(true);
  expect(patienceMs).toBeGreaterThan(30_000);
});

it('leaves a limit that a test names itself', async () => {
  await expect(vi.waitFor(() => expect(1).toBe(2), { timeout: 60 })).rejects.toThrow('2');
  await expect(vi.waitUntil(() => false, 60)).rejects.toThrow();
});
