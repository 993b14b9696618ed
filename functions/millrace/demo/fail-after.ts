import { setTimeout as sleep } from 'node:timers/promises';
import { underEither } from '#shared/domain/under-either.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';

export interface Deadline {
  readonly timeoutMs: number;
  /** What has not come in time; `after N s` follows. */
  readonly failure: string;
  readonly next: string;
  /** Aborts with a reason that is thrown. */
  readonly signal: AbortSignal;
}

/** Rejects when the time is up, or earlier by the signal; when `stop` aborts nobody waits for it any more. */
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
