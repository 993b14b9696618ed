import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { collectGarbage } from './testing/collect-garbage.ts';
import { underEither } from './under-either.ts';

const signalOf = (signal: AbortSignal) => Promise.resolve(signal);

describe('a call under either of two signals', () => {
  it.each([0, 1] as const)('is aborted by signal %i, with its reason', async (which) => {
    const [first, second] = [new AbortController(), new AbortController()];
    const reason = new Error('lost');
    const aborted = await underEither([first.signal, second.signal], async (signal) => {
      expect(signal.aborted).toBe(false);
      [first, second][which]?.abort(reason);
      return signalOf(signal);
    });
    expect(aborted).toMatchObject({ aborted: true, reason });
  });

  it('is aborted from the start by one that was aborted before', async () => {
    const never = new AbortController().signal;
    const reason = new Error('stopped');
    const before = AbortSignal.abort(reason);
    expect(await underEither([never, before], signalOf)).toMatchObject({ aborted: true, reason });
  });

  it('is aborted also by one that has no other reference when it aborts', async () => {
    const never = new AbortController().signal;
    let forgotten: AbortController | undefined = new AbortController();
    await underEither([never, forgotten.signal], async (signal) => {
      forgotten?.abort();
      forgotten = undefined;
      await collectGarbage();
      expect(signal.aborted).toBe(true);
    });
  });

  it('leaves nothing behind at the signals, however it ends', async () => {
    const [first, second] = [new AbortController().signal, new AbortController().signal];
    await underEither([first, second], signalOf);
    const failure = new Error('no');
    const failing = underEither([first, second], () => Promise.reject(failure));
    await expect(failing).rejects.toBe(failure);
    expect([first, second].flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
  });
});
