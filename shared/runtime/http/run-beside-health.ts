/** Background work beside a server for probes and metrics: bridge, dispatcher, credentials. */
import { createHealthService, type HealthServiceOptions } from './health-service.ts';
import type { Started } from '../process/run-main.ts';

export interface BackgroundWork extends HealthServiceOptions {
  readonly host: string;
  readonly port: number;
  /** Runs until the signal. Rejects if the process must be restarted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Called when the work has ended. */
  readonly close: () => Promise<unknown>;
}

/** Throws if listening fails; the work has not begun then. */
export async function runBesideHealth(work: BackgroundWork): Promise<Started> {
  const { host, port, run, close } = work;
  const health = await createHealthService(work);
  const url = await health.listen({ host, port });
  const stopping = new AbortController();
  const ended = run(stopping.signal);
  const stop = async (): Promise<void> => {
    health.drain();
    stopping.abort();
    await ended;
    await Promise.all([health.close(), close()]);
  };
  return { url, ended, stop };
}
