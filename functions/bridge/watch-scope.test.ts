import { expect, it } from 'vitest';
import { WatchScope } from './watch-scope.ts';

it('follows what the selector names until all of it is needed, and all of it from then on', () => {
  const scope = new WatchScope({ labelSelector: 'ours' });
  const before = scope.outgrown;
  scope.listed();
  expect([scope.labelSelector, scope.isComplete]).toEqual(['ours', false]);
  scope.widen();
  expect(before.aborted).toBe(true);
  expect([scope.labelSelector, scope.isComplete]).toEqual([undefined, false]);
  scope.listed();
  expect(scope.isComplete).toBe(true);
  const after = scope.outgrown;
  scope.widen();
  expect(after.aborted).toBe(false);
});

it('is not needed before something needs it, where it need not be served', async () => {
  const stop = new AbortController();
  const scope = new WatchScope({ neededBy: [] });
  expect([scope.isOptional, scope.isNeeded]).toEqual([true, false]);
  const waiting = scope.untilNeeded(stop.signal);
  scope.need();
  await waiting;
  expect(scope.isNeeded).toBe(true);
  await scope.untilNeeded(stop.signal);
});

it('is waited for no longer than until the end', async () => {
  const stop = new AbortController();
  const scope = new WatchScope({ neededBy: [] });
  const waiting = scope.untilNeeded(stop.signal);
  stop.abort();
  await waiting;
  expect(scope.isNeeded).toBe(false);
});

it('is needed from the beginning where it has to be served', () => {
  const scope = new WatchScope({});
  expect([scope.isOptional, scope.isNeeded]).toEqual([false, true]);
});

it('is complete from the beginning where nothing is left out', () => {
  const scope = new WatchScope({});
  const { outgrown } = scope;
  scope.widen();
  expect([scope.isComplete, outgrown.aborted]).toEqual([true, false]);
});
