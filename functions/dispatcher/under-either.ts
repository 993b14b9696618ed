/**
 * Makes a call with a signal that aborts as soon as one of two does, for as long as the call takes.
 * Unlike AbortSignal.any, which leaves weak references behind: the young generation's collections keep
 * what they lead to, and so all that a delivery read stayed until the next full one.
 */
export async function underEither<Result>(
  signals: readonly [AbortSignal, AbortSignal],
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const either = new AbortController();
  const abort = (): void => either.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
  }
  try {
    return await call(either.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
}
