import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { WaitingTakers } from './waiting-takers.ts';

const never = new AbortController().signal;

it('hands a value to the taker that came first, and keeps none for later ones', async () => {
  const takers = new WaitingTakers<string>();
  const taken = [takers.wait(never), takers.wait(never)];
  expect(takers.hand('a')).toBe(true);
  expect(takers.hand('b')).toBe(true);
  expect(await Promise.all(taken)).toEqual(['a', 'b']);
  expect(takers.hand('c')).toBe(false);
  expect(takers.size).toBe(0);
});

it('sends away a taker that stops waiting, before it began or later', async () => {
  const takers = new WaitingTakers<string>();
  const stop = new AbortController();
  const early = takers.wait(stop.signal);
  stop.abort();
  expect(await early).toBeUndefined();
  expect(await takers.wait(stop.signal)).toBeUndefined();
  expect(takers.hand('a')).toBe(false);
});

it('leaves nothing at a signal that outlives the wait', async () => {
  const takers = new WaitingTakers<string>();
  const { signal } = new AbortController();
  const taken = takers.wait(signal);
  takers.hand('a');
  await taken;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
