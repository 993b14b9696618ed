import type { Logger } from './telemetry.ts';

/** The part of `process` that a shutdown needs. */
export interface ShutdownProcess {
  on(signal: 'SIGTERM' | 'SIGINT', listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): void;
}

export interface ShutdownOptions {
  readonly process: ShutdownProcess;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  /** Longest time that `stop` may take, in milliseconds. */
  readonly deadlineMs: number;
  /** Finishes running work and closes the rest. */
  readonly stop: () => Promise<void>;
}

/**
 * Ends the process on SIGTERM or SIGINT. Exit codes: 0 if `stop` finished in time, 1 if it failed
 * or took longer, 130 at once on a second signal.
 */
export function shutDownOnSignal(options: ShutdownOptions): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 1) options.process.exit(130);
    else void stopAndExit(options, signal);
  };
  options.process.on('SIGTERM', onSignal);
  options.process.on('SIGINT', onSignal);
}

async function stopAndExit(options: ShutdownOptions, signal: NodeJS.Signals): Promise<void> {
  const { logger, deadlineMs, stop } = options;
  logger.info({ signal, deadlineMs }, 'stopping');
  try {
    await withinMs(stop(), deadlineMs);
    logger.info({ signal }, 'stopped');
    options.process.exit(0);
  } catch (error) {
    logger.error({ err: error, signal }, 'did not stop cleanly');
    options.process.exit(1);
  }
}

async function withinMs(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`still busy after ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
