/** Checks regularly whether all credentials exist: often while something is missing, else seldom. */
import type { WaitingClock } from '#shared/domain/clock.ts';
import { errorClassOf } from '#shared/domain/errors.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import type { Kept } from './keep-credentials.ts';

export interface RoundsOptions {
  readonly keep: () => Promise<Kept>;
  readonly clock: Pick<WaitingClock, 'sleep'>;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface Rounds {
  /** Runs until the signal aborts. Never rejects because of a failed round. */
  run(signal: AbortSignal): Promise<void>;
  /** Why the installation is not ready. Undefined once everything was there, even if something is deleted later. */
  notReady(): string | undefined;
}

/** Interval between two rounds, milliseconds. A new Pod cannot start without a deleted Secret. */
const everyMs = 30_000;
/** Wait after the first incomplete round, milliseconds. It doubles with each further one. */
const soonMs = 2_000;

export function createRounds({ keep, clock, logger }: RoundsOptions): Rounds {
  let missing: string | undefined = 'credentials are not made yet';
  let inARow = 0;
  const soon = (): number => {
    inARow += 1;
    return Math.min(everyMs, soonMs * 2 ** (inARow - 1));
  };
  const round = async (): Promise<number> => {
    try {
      const { untrusted, hasUpdated } = await keep();
      const names = untrusted.join(', ');
      const isWhole = untrusted.length === 0;
      if (missing !== undefined) {
        missing = isWhole ? undefined : `there is no webhook configuration of ${names} yet`;
      }
      if (missing === undefined || hasUpdated) inARow = 0;
      return missing === undefined && !hasUpdated ? everyMs : soon();
    } catch (error) {
      const isLasting = errorClassOf(error) === 'terminal';
      logger.warn({ err: error }, 'credentials are not made');
      return isLasting ? everyMs : soon();
    }
  };
  return {
    run: async (signal) => {
      while (!signal.aborted) await clock.sleep(await round(), signal);
    },
    notReady: () => missing,
  };
}
