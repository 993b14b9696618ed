import { MillraceError } from '#shared/domain/errors.ts';
import { unreachable, type RequestLabel } from './api-error.ts';

/** An established connection broke under the request; a refused or timed-out one is not meant. */
const brokenCodes: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export function isBroken(error: unknown): boolean {
  return !(error instanceof MillraceError) && brokenCodes.has(codeOf(error));
}

/** MR_API_UNREACHABLE for whatever the transport threw; a MillraceError stays as it is. */
export function asUnreachable(label: RequestLabel, error: unknown): MillraceError {
  if (error instanceof MillraceError) return error;
  return unreachable(label, faultText(error), error);
}

/** With its code: a refused connection is an AggregateError with an empty message. */
export function faultText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  return code === undefined ? message : `${code} ${message}`.trim();
}

function codeOf(error: unknown): string | undefined {
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
