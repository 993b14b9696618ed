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

it('is complete from the beginning where nothing is left out', () => {
  const scope = new WatchScope({});
  const { outgrown } = scope;
  scope.widen();
  expect([scope.isComplete, outgrown.aborted]).toEqual([true, false]);
});
