import { expect, it } from 'vitest';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { RefusedLists } from './refused-lists.ts';

const times = { refusals: 3, risingMs: 10, standingMs: 30 };

/** Versions, and between them waits in milliseconds. */
function refused(...steps: readonly (string | number)[]): RefusedLists {
  const lists = new RefusedLists();
  for (const step of steps) {
    if (typeof step === 'number') lists.waited(step);
    else lists.add(asResourceVersion(step));
  }
  return lists;
}

it.each<[string, readonly (string | number)[], boolean]>([
  ['none', [], false],
  ['enough that rise for long enough', ['5', 5, '6', 5, '6'], true],
  ['too few, however long they rise', ['5', 50, '6'], false],
  ['enough that rise for too short a time', ['5', 5, '6', 4, '7'], false],
  ['enough that stand still for long enough', ['5', 15, '5', 15, '5'], true],
  ['enough that stand still for too short a time', ['5', 15, '5', 14, '5'], false],
  ['some that fall among themselves, which begins anew', ['7', 50, '8', 50, '6', 5, '6'], false],
  ['enough after a fall', ['9', 50, '5', 5, '6', 5, '7'], true],
  ['some that rose before a fall and stand still since', ['7', '8', '5', 5, '5', 5, '5'], false],
  ['waits before the first of them, which do not count', [50, '5', 5, '6', 4, '7'], false],
])('lists are of another history: %s (refused-list-1 to refused-list-3)', (_, steps, areOther) => {
  expect(refused(...steps).areAnotherHistory(times)).toBe(areOther);
});

it('refused lists have a number, a duration and the version of the last', () => {
  const lists = refused('5', 5, '6', 7);
  expect([lists.count, lists.waitedMs, lists.version]).toEqual([2, 12, '6']);
  lists.clear();
  expect([lists.count, lists.waitedMs, lists.version]).toEqual([0, 0, undefined]);
  expect(refused('9', 5, '4')).toMatchObject({ count: 1, waitedMs: 0, version: '4' });
});
