import { MillraceError } from '#shared/domain/errors.ts';

export interface Deadline {
  /** Names the server in the error. */
  readonly address: string;
  readonly timeoutMs: number;
}

/** How long a call to Redis may take before it counts as an outage, in milliseconds. */
export const defaultTimeoutMs = 2_000;

/**
 * Runs a call against Redis. Throws MR_QUEUE_UNAVAILABLE when it fails or takes longer than
 * `timeoutMs`; a call that was given up on may still take effect later, so it has to be repeatable.
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
  // Given up on, it may still fail: nobody listens then.
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
