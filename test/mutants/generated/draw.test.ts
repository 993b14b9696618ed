import { describe, expect, it } from 'vitest';
import type { Candidate } from './candidates.ts';
import { type Draw, drawn, type Passing } from './draw.ts';

const everything: Passing = (some) => some;
const candidates = ['a', 'b', 'c'].flatMap((room) =>
  Array.from({ length: 30 }, (_, index) => candidate(room, index)),
);

function candidate(room: string, index: number): Candidate {
  const file = `${room}${index % 4}.ts`;
  const id = `${room}-${index}`;
  return { id, room, file, line: index, original: '1', replacement: '2', source: '2' };
}

function idsOf(draw: Partial<Draw>, passing = everything): readonly string[] {
  const all = { seed: 1, count: 12, skip: 0, ...draw };
  return drawn(candidates, all, passing).map(({ id }) => id);
}

describe('a draw of mutants', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(idsOf({})).toEqual(idsOf({}));
    expect(idsOf({ seed: 2 })).not.toEqual(idsOf({}));
  });

  it('takes as many from every room, each change once', () => {
    const ids = idsOf({ count: 30 });
    const rooms = Map.groupBy(ids, (id) => id.charAt(0));
    expect([...rooms.values()].map(({ length }) => length)).toEqual([10, 10, 10]);
    expect(new Set(ids).size).toBe(30);
  });

  it('gives in portions what it gives at once', () => {
    const portions = [0, 7, 14].flatMap((skip) => idsOf({ count: 7, skip }));
    expect(portions).toEqual(idsOf({ count: 21 }));
  });

  it('draws on in the place of what cannot be compiled', () => {
    const even = ({ line }: Candidate) => line % 2 === 0;
    const ids = idsOf({ count: 9 }, (some) => some.filter(even));
    expect(ids).toHaveLength(9);
    expect(ids.filter((id) => Number(id.split('-')[1]) % 2 === 1)).toEqual([]);
  });

  it('asks the compiler about one change of a file at a time', () => {
    idsOf({}, (some) => {
      expect(new Set(some.map(({ file }) => file)).size).toBe(some.length);
      return some;
    });
  });

  it('ends when a room has no more', () => {
    expect(idsOf({ count: 300 })).toHaveLength(90);
  });
});
