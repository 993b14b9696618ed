/**
 * Makes a call with a signal that aborts as soon as one of two does, for as long as the call takes.
 *
 * In the place of AbortSignal.any, which follows its sources by weak references, and only once somebody listens
 * (lib/internal/abort_controller.js of Node 24): where one of them has aborted and was collected before anybody
 * looked, it never aborts. Besides, the young generation's collections keep what weak references lead to.
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
