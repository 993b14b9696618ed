import { describe, expect, it } from 'vitest';
import { formatPosition } from '#shared/journal/position.ts';
import { DecisionMemory, isWornOut, rememberedBytes } from './decision-memory.ts';

/** A whole record at 5 s, in a journal that began at 3 s. */
const known = {
  position: formatPosition(9000, 0),
  snapshot: {},
  latest: new Map(),
  whole: { position: formatPosition(5000, 0), bytes: 100, oldest: formatPosition(3000, 0) },
  bytesSince: 0,
};

describe('a history of records begins anew', () => {
  it.each([
    ['when its differences add up to the first record', 100, formatPosition(3000, 0)],
    ['when the journal is empty', 0, undefined],
    ['when the journal has dropped its first record', 0, formatPosition(5000, 1)],
    ['when the journal begins earlier than it did: it is another one', 0, formatPosition(2999, 0)],
    ['when half of what was older than its first record is gone', 0, formatPosition(4001, 0)],
  ])('%s', (_, bytesSince, oldest) => {
    expect(isWornOut({ ...known, bytesSince }, oldest)).toBe(true);
  });

  it.each([
    ['while its differences are smaller than the first record', 99, formatPosition(3000, 0)],
    ['while half of what was older is still there', 0, formatPosition(4000, 0)],
  ])('not %s', (_, bytesSince, oldest) => {
    expect(isWornOut({ ...known, bytesSince }, oldest)).toBe(false);
  });
});

describe('the memory of records', () => {
  it('gives each of them once', () => {
    const memory = new DecisionMemory();
    memory.put('a', known);
    expect(memory.take('a')).toBe(known);
    expect(memory.take('a')).toBeUndefined();
  });

  it('forgets the oldest first, and no more than it must', () => {
    const memory = new DecisionMemory();
    const half = { ...known, whole: { ...known.whole, bytes: rememberedBytes / 2 } };
    for (const uid of ['a', 'b', 'c']) memory.put(uid, half);
    expect(memory.take('a')).toBeUndefined();
    expect(memory.take('b')).toBe(half);
    expect(memory.take('c')).toBe(half);
  });

  it('counts what was replaced or taken no longer', () => {
    const memory = new DecisionMemory();
    const half = { ...known, whole: { ...known.whole, bytes: rememberedBytes / 2 } };
    for (let n = 0; n < 5; n += 1) memory.put('a', half);
    memory.put('b', half);
    expect(memory.take('a')).toBe(half);
    memory.put('c', half);
    expect([memory.take('b'), memory.take('c')]).toEqual([half, half]);
  });

  it('counts the differences as well as the record that they stand on', () => {
    const memory = new DecisionMemory();
    const bytes = rememberedBytes / 4;
    const half = { ...known, whole: { ...known.whole, bytes }, bytesSince: bytes };
    for (const uid of ['a', 'b', 'c']) memory.put(uid, half);
    expect(memory.take('a')).toBeUndefined();
    expect([memory.take('b'), memory.take('c')]).toEqual([half, half]);
  });
});
