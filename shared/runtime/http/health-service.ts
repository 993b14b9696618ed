import type { Registry } from 'prom-client';
import { createHttpMetrics } from './http-metrics.ts';
import { createHttpServer, listenOn } from './http-server.ts';
import { registerProbes } from './probes.ts';
import { defaultLimits } from './service-limits.ts';
import type { Logger } from '../process/telemetry.ts';

export interface HealthServiceOptions {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Why the process cannot do its work now; undefined if it can. */
  readonly notReady?: () => string | undefined;
}

export interface HealthService {
  /** The address it listens on, as a URL. */
  listen(where: { readonly host: string; readonly port: number }): Promise<string>;
  /** Turns it not ready; it still answers. */
  drain(): void;
  close(): Promise<void>;
}

/** Probes and metrics of a process that receives no events over HTTP: bridge, dispatcher, `run`. */
export async function createHealthService(options: HealthServiceOptions): Promise<HealthService> {
  const { logger, registry, notReady } = options;
  let draining = false;
  const metrics = createHttpMetrics(registry);
  const app = await createHttpServer({ logger, limits: defaultLimits, metrics });
  registerProbes(app, {
    registry,
    isDraining: () => draining,
    ...(notReady === undefined ? {} : { notReady }),
  });
  return {
    listen: (where) => listenOn(app, where),
    drain: () => {
      draining = true;
    },
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
