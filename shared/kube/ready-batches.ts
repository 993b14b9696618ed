import { setImmediate as nextTurn } from 'node:timers/promises';

const notReady = Symbol('not ready');

/**
 * Groups values that are ready without waiting. A batch holds the next value and those of the same
 * turn of the event loop, at most `limit`. While the consumer works on a batch, at most one value is
 * read ahead, so that backpressure reaches the source. With `limit` 1 it never reads ahead.
 */
export async function* readyBatches<T>(
  source: AsyncIterable<T>,
  limit: number,
): AsyncGenerator<readonly T[], void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let ahead: Promise<IteratorResult<T, unknown>> | undefined;
  try {
    for (;;) {
      const first = await (ahead ?? iterator.next());
      if (first.done === true) return;
      const batch = [first.value];
      ahead = undefined;
      while (batch.length < limit) {
        ahead = iterator.next();
        const next = await readyNow(ahead);
        if (next === notReady || next.done === true) break;
        batch.push(next.value);
        ahead = undefined;
      }
      yield batch;
    }
  } finally {
    // Not awaited: a source that waits for its next value answers only when it is aborted.
    iterator.return?.().catch(() => undefined);
  }
}

/** A rejection does not count as ready: it is thrown after the batch before it. */
async function readyNow<T>(
  ahead: Promise<IteratorResult<T, unknown>>,
): Promise<IteratorResult<T, unknown> | typeof notReady> {
  try {
    return await Promise.race([ahead, nextTurn(notReady)]);
  } catch {
    return notReady;
  }
}
