import { CommandFailure, exitCodes } from './command-failure.ts';

/**
 * Aborts at the first SIGINT, SIGTERM or SIGHUP, with a CommandFailure as its reason. A second signal ends the
 * process at once.
 */
export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (interrupted.signal.aborted) process.exit(exitCodes.interrupted);
      const words = 'interrupted';
      interrupted.abort(new CommandFailure(exitCodes.interrupted, words, 'start it again'));
    });
  }
  return interrupted.signal;
}
