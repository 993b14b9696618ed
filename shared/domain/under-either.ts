/**
 * Makes a call with a signal that aborts as soon as one of two signals does, for the duration of the call.
 *
 * AbortSignal.any is not used: it follows its sources by weak references, and only while it has a listener
 * (lib/internal/abort_controller.js of Node 24). If a source aborts and is collected before that, it never
 * aborts. Also, collections of the young generation keep what weak references lead to.
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
