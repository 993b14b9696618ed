import { MillraceError } from '#shared/domain/errors.ts';
import { unreachable, type RequestLabel } from './api-error.ts';

/** An established connection broke during the request, other than a refused or timed-out one. */
const brokenCodes: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export function isBroken(error: unknown): boolean {
  return !(error instanceof MillraceError) && brokenCodes.has(codeOf(error));
}

/** MR_API_UNREACHABLE for any error of the transport. A MillraceError is returned unchanged. */
export function asUnreachable(label: RequestLabel, error: unknown): MillraceError {
  if (error instanceof MillraceError) return error;
  return unreachable(label, faultText(error), error);
}

/** Includes the code: a refused connection is an AggregateError with an empty message. */
export function faultText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  return code === undefined || message.includes(code) ? message : `${code} ${message}`.trim();
}

function codeOf(error: unknown): string | undefined {
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
