import { setTimeout as sleep } from 'node:timers/promises';
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
  const either = AbortSignal.any([signal, stop]);
  await sleep(timeoutMs, undefined, { signal: either }).catch(() => undefined);
  signal.throwIfAborted();
  const message = `${failure} after ${Math.round(timeoutMs / 1000)} s`;
  throw new CommandFailure(exitCodes.timeout, message, next);
}
