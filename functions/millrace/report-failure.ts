import type { Command } from 'commander';
import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import { fileFault } from '#shared/domain/file-fault.ts';
import { printable } from '#shared/domain/printable.ts';
import { CommandFailure, exitCodes, exitWordOf } from './command-failure.ts';
import { commandAsCalled } from './command-as-called.ts';
import { inSamePlace } from './same-place.ts';
import { jsonLine } from './terminal/json-line.ts';

/** Other codes end with 1. */
const exitsByCode: Partial<Readonly<Record<ErrorCode, number>>> = {
  MR_API_UNREACHABLE: exitCodes.unreachable,
  MR_API_RETRYABLE: exitCodes.unreachable,
  MR_QUEUE_UNAVAILABLE: exitCodes.unreachable,
  MR_API_NOT_FOUND: exitCodes.notFound,
  MR_API_INVALID: exitCodes.invalidInput,
  MR_API_TOO_LARGE: exitCodes.invalidInput,
  MR_KUBECONFIG_UNUSABLE: exitCodes.invalidInput,
};

/** The reported members of a failure, which error-schema.ts describes. */
interface ReportedFailure {
  readonly code: string;
  readonly exitCode: number;
  readonly message: string;
  readonly next?: string;
  readonly details?: Readonly<Record<string, string | number>>;
}

export interface ReportOptions {
  /** Prints one line `{"error": {...}}`. */
  readonly asJson?: boolean;
  /** The command that called the program, such as `kubectl millrace`. */
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

function asCalled(failure: ReportedFailure, called: string, asked?: Command): ReportedFailure {
  const { next } = failure;
  if (next === undefined) return failure;
  const placed = asked === undefined ? next : inSamePlace(next, asked);
  return { ...failure, next: commandAsCalled(placed, called) };
}

function failureOf(error: unknown): ReportedFailure {
  if (error instanceof CommandFailure) {
    const { exitCode, message, next } = error;
    const words = { message: printable(message), next: printable(next) };
    return { code: exitWordOf(exitCode), exitCode, ...words };
  }
  // The path comes from the user or their environment.
  const ofFile = fileFault(error);
  if (ofFile !== undefined) {
    const { code, message } = ofFile;
    const next = 'check the path';
    return { code, exitCode: exitCodes.invalidInput, message: printable(message), next };
  }
  if (error instanceof MillraceError) {
    const { code, message, next, fields: details } = error;
    const exitCode = exitsByCode[code] ?? exitCodes.general;
    return { code, exitCode, message: printable(message), next, details };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'general', exitCode: exitCodes.general, message };
}

/** The same cause may also make the clean-up fail, so the first error is reported. */
function firstFaultOf(error: unknown): unknown {
  return error instanceof SuppressedError ? firstFaultOf(error.suppressed) : error;
}
