import { describe, expect, it } from 'vitest';
import { readyBatches } from './ready-batches.ts';

/** Yields these values without waiting, and reports whether it is still being read. */
function sourceOf<T>(values: readonly T[], end?: Error) {
  const state = { given: 0, isOver: false };
  async function* give(): AsyncGenerator<T> {
    try {
      for (const value of values) {
        state.given += 1;
        yield value;
      }
      if (end !== undefined) throw end;
    } finally {
      state.isOver = true;
    }
  }
  return { state, source: give() };
}

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<readonly (readonly T[])[]> {
  const found: (readonly T[])[] = [];
  for await (const batch of batches) found.push(batch);
  return found;
}

describe('a batch', () => {
  it('holds what is ready, up to the limit', async () => {
    expect(await all(readyBatches(sourceOf([1, 2, 3, 4, 5]).source, 2))).toEqual([
      [1, 2],
      [3, 4],
      [5],
    ]);
  });

  it('is read one value ahead at most while its reader works', async () => {
    for (const limit of [1, 3]) {
      const { state, source } = sourceOf([1, 2, 3, 4, 5, 6, 7]);
      for await (const batch of readyBatches(source, limit)) {
        expect(batch).toHaveLength(limit);
        break;
      }
      expect(state.given).toBeLessThanOrEqual(limit + 1);
    }
  });

  it('before a failure is taken first', async () => {
    const batches = readyBatches(sourceOf([1, 2], new Error('broken')).source, 10);
    expect((await batches.next()).value).toEqual([1, 2]);
    await expect(batches.next()).rejects.toThrow('broken');
  });
});

describe('who stops reading', () => {
  it('ends the source, which holds a connection', async () => {
    const { state, source } = sourceOf([1, 2, 3]);
    for await (const batch of readyBatches(source, 1)) {
      expect(batch).toEqual([1]);
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.isOver).toBe(true);
  });

  it('does not wait for a source that waits itself, and is not met by what becomes of it', async () => {
    const next = Promise.withResolvers<IteratorResult<number>>();
    let asked = 0;
    const source: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          asked += 1;
          return asked === 1 ? { done: false, value: 1 } : next.promise;
        },
        return: () => Promise.reject(new Error('aborted')),
      }),
    };
    for await (const batch of readyBatches(source, 10)) {
      expect(batch).toEqual([1]);
      break;
    }
    // An unhandled rejection would fail the run.
    next.reject(new Error('aborted'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toBe(2);
  });
});
