import { MillraceError } from '#shared/domain/errors.ts';

export interface Deadline {
  /** The server's name in the error. */
  readonly address: string;
  readonly timeoutMs: number;
}

/** A call to Redis that takes longer counts as an outage, in milliseconds. */
export const defaultTimeoutMs = 2_000;

/**
 * Runs a call to Redis. Throws MR_QUEUE_UNAVAILABLE if it fails or takes longer than `timeoutMs`.
 * An abandoned call may still take effect, so it must be repeatable.
 */
export async function withinDeadline<Result>(
  { address, timeoutMs }: Deadline,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${timeoutMs} ms`));
      abort.abort();
    }, timeoutMs);
  });
  const running = call(abort.signal);
  // An abandoned call may still fail, which is ignored.
  running.catch(() => undefined);
  try {
    return await Promise.race([running, timeout]);
  } catch (cause) {
    throw unavailable(address, cause);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable(address: string, cause: unknown): MillraceError {
  if (cause instanceof MillraceError) return cause;
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new MillraceError('MR_QUEUE_UNAVAILABLE', { address, detail }, { cause });
}
