import { describe, expect, it } from 'vitest';
import { job } from '../testing/builders.ts';
import { inTurns } from './turns.ts';

/** Sorted by everything else. The group is the first letter. */
const ranked = (names: string, overdueMs = -1) =>
  names
    .split(' ')
    .map((name) => ({ object: job(name, { group: name[0]! }), overdueMs, priority: 0 }));
const running = (...groups: readonly string[]) =>
  groups.map((group, index) => job(`running-${index}`, { group }));
const namesOf = (all: ReturnType<typeof inTurns>) => all.map(({ object }) => object.name).join(' ');

describe('groups that take turns', () => {
  it('begin with the earlier place where as much of each runs', () => {
    expect(namesOf(inTurns(ranked('a1 b1 b2 a2'), []))).toBe('a1 b1 b2 a2');
  });

  it('begin with that of which less runs, whatever the places are', () => {
    expect(namesOf(inTurns(ranked('b1 a1 b2'), running('a', 'a')))).toBe('b1 b2 a1');
  });

  it('have had their turn with an overdue object, which waits for no other', () => {
    const all = [...ranked('a1 a2', 1_000), ...ranked('a3 b1 b2')];
    expect(namesOf(inTurns(all, []))).toBe('a1 a2 b1 b2 a3');
  });
});
