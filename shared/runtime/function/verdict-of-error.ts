import { MillraceError } from '#shared/domain/errors.ts';
import type { Verdict } from '#shared/domain/verdict.ts';

/** A missing permission is often granted minutes later. Asking more often would only fill the log. */
export const forbiddenRetryMs = 15_000;

/**
 * The verdict on an item whose run threw. A server that names a delay is busy, not broken: no attempt
 * is counted. An error without an MR_ code is a bug, and is tried again.
 */
export function verdictOfError(error: unknown): Verdict {
  if (!(error instanceof MillraceError)) {
    return { kind: 'retry', detail: error instanceof Error ? error.message : String(error) };
  }
  const detail = `${error.code}: ${error.message}`;
  if (error.code === 'MR_API_FORBIDDEN') {
    return { kind: 'retry', afterMs: forbiddenRetryMs, detail };
  }
  switch (error.class) {
    case 'conflict':
      return { kind: 'later', detail };
    case 'retryable':
      return error.retryAfterMs === undefined
        ? { kind: 'retry', detail }
        : { kind: 'later', afterMs: error.retryAfterMs, detail };
    case 'terminal':
      return { kind: 'parked', detail };
  }
}
