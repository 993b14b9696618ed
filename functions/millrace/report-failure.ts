import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import { printable } from '#shared/domain/printable.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';

const unreachable: readonly ErrorCode[] = [
  'MR_API_UNREACHABLE',
  'MR_API_RETRYABLE',
  'MR_QUEUE_UNAVAILABLE',
];

/** Says what failed, its code and what to do next; returns the exit code for it. */
export function reportFailure(thrown: unknown, stderr: { write(text: string): unknown }): number {
  const error = firstFaultOf(thrown);
  if (error instanceof CommandFailure) {
    stderr.write(`error: ${printable(error.message)}\nnext: ${printable(error.next)}\n`);
    return error.exitCode;
  }
  if (isOfFile(error)) {
    stderr.write(
      `error: ${printable(error.message)}\nnext: check that this path exists and may be used\n`,
    );
    return exitCodes.invalidInput;
  }
  if (!(error instanceof MillraceError)) {
    stderr.write(
      `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return exitCodes.general;
  }
  stderr.write(`error: ${printable(error.message)} (${error.code})\nnext: ${error.next}\n`);
  return unreachable.includes(error.code) ? exitCodes.unreachable : exitCodes.general;
}

/** The file system refused a path, which the user has named or which their environment leads to. */
function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}

/** Closing what had started may fail as well, for the same cause: what failed first says it. */
function firstFaultOf(error: unknown): unknown {
  return error instanceof SuppressedError ? firstFaultOf(error.suppressed) : error;
}
