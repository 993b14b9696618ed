import type { Command } from 'commander';
import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import { printable } from '#shared/domain/printable.ts';
import { CommandFailure, exitCodes, exitWordOf } from './command-failure.ts';
import { commandAsCalled } from './command-as-called.ts';
import { inSamePlace } from './same-place.ts';
import { jsonLine } from './terminal/json-line.ts';

const unreachable: readonly ErrorCode[] = [
  'MR_API_UNREACHABLE',
  'MR_API_RETRYABLE',
  'MR_QUEUE_UNAVAILABLE',
];

/** The reported members of a failure, which error-schema.ts describes. */
interface ToldFailure {
  readonly code: string;
  readonly exitCode: number;
  readonly message: string;
  readonly next?: string;
  readonly details?: Readonly<Record<string, string | number>>;
}

export interface ReportOptions {
  /** Prints one line `{"error": {...}}`. */
  readonly asJson?: boolean;
  /** How the program was called, such as `kubectl millrace`. */
  readonly called?: string;
  /** The failed command with its options. */
  readonly asked?: Command;
}

/** Prints what failed, its code and what to do next. Returns the exit code. */
export function reportFailure(
  thrown: unknown,
  stderr: { write(text: string): unknown },
  { asJson = false, called = 'millrace', asked }: ReportOptions = {},
): number {
  const failure = asCalled(failureOf(firstFaultOf(thrown)), called, asked);
  const { code, exitCode, message, next } = failure;
  if (asJson) {
    stderr.write(`${jsonLine({ error: failure })}\n`);
    return exitCode;
  }
  const shown = code.startsWith('MR_') ? ` (${code})` : '';
  stderr.write(`error: ${message}${shown}\n${next === undefined ? '' : `next: ${next}\n`}`);
  return exitCode;
}

function asCalled(failure: ToldFailure, called: string, asked?: Command): ToldFailure {
  const { next } = failure;
  if (next === undefined) return failure;
  const placed = asked === undefined ? next : inSamePlace(next, asked);
  return { ...failure, next: commandAsCalled(placed, called) };
}

function failureOf(error: unknown): ToldFailure {
  if (error instanceof CommandFailure) {
    const { exitCode, message, next } = error;
    const told = { message: printable(message), next: printable(next) };
    return { code: exitWordOf(exitCode), exitCode, ...told };
  }
  if (isOfFile(error)) {
    return {
      ...{ code: error.code ?? 'invalidInput', exitCode: exitCodes.invalidInput },
      message: printable(error.message),
      next: 'check that this path exists and may be used',
    };
  }
  if (error instanceof MillraceError) {
    const { code, message, next, fields: details } = error;
    const exitCode = unreachable.includes(code) ? exitCodes.unreachable : exitCodes.general;
    return { code, exitCode, message: printable(message), next, details };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'general', exitCode: exitCodes.general, message };
}

/** The file system refused a path that comes from the user or their environment. */
function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}

/** The same cause may also make the clean-up fail, so the first error is reported. */
function firstFaultOf(error: unknown): unknown {
  return error instanceof SuppressedError ? firstFaultOf(error.suppressed) : error;
}
