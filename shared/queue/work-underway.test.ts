import { expect, it } from 'vitest';
import { WorkUnderway } from './work-underway.ts';

it('counts a call until it has ended, well or not', async () => {
  const underway = new WorkUnderway();
  const fine = Promise.withResolvers<string>();
  const bad = Promise.withResolvers<string>();
  const calls = [underway.track(fine.promise), underway.track(bad.promise)];
  expect(underway.size).toBe(2);
  fine.resolve('x');
  expect(await calls[0]).toBe('x');
  expect(underway.size).toBe(1);
  let hasEnded = false;
  const ended = underway.ended().then(() => (hasEnded = true));
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);
  bad.reject(new Error('on purpose'));
  await ended;
  expect(underway.size).toBe(0);
  await expect(calls[1]).rejects.toThrow('on purpose');
});
