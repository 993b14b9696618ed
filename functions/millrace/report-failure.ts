import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';

const unreachable: readonly ErrorCode[] = ['MR_API_UNREACHABLE', 'MR_QUEUE_UNAVAILABLE'];

/** Says what failed, its code and what to do next; returns the exit code for it. */
export function reportFailure(error: unknown, stderr: { write(text: string): unknown }): number {
  if (error instanceof CommandFailure) {
    stderr.write(`error: ${error.message}\nnext: ${error.next}\n`);
    return error.exitCode;
  }
  if (!(error instanceof MillraceError)) {
    stderr.write(
      `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return exitCodes.general;
  }
  stderr.write(`error: ${error.message} (${error.code})\nnext: ${error.next}\n`);
  return unreachable.includes(error.code) ? exitCodes.unreachable : exitCodes.general;
}
