import { setTimeout as sleep } from 'node:timers/promises';
import { underEither } from '#shared/domain/under-either.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';

export interface Deadline {
  readonly timeoutMs: number;
  /** Says what did not happen in time; `after N s` is appended. */
  readonly failure: string;
  readonly next: string;
  /** Aborts with the reason to throw. */
  readonly signal: AbortSignal;
}

/** Rejects when the time is up, or earlier by the signal. `stop` ends the wait. */
export async function failAfter(
  { timeoutMs, failure, next, signal }: Deadline,
  stop: AbortSignal,
): Promise<never> {
  const passed = underEither([signal, stop], (either) =>
    sleep(timeoutMs, undefined, { signal: either }),
  );
  await passed.catch(() => undefined);
  signal.throwIfAborted();
  const message = `${failure} after ${Math.round(timeoutMs / 1000)} s`;
  throw new CommandFailure(exitCodes.timeout, message, next);
}
