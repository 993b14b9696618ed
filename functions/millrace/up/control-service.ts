/** Health, metrics and the recorded events of an `up`, for whoever is on this machine. */
import type { Registry } from 'prom-client';
import { asUid } from '#shared/domain/objects.ts';
import { createHttpMetrics } from '#shared/runtime/http-metrics.ts';
import { createHttpServer, listenOn } from '#shared/runtime/http-server.ts';
import { sendProblem } from '#shared/runtime/problem.ts';
import { registerProbes } from '#shared/runtime/probes.ts';
import { defaultLimits } from '#shared/runtime/service-limits.ts';
import type { Logger } from '#shared/runtime/telemetry.ts';
import type { EventDesk } from '../demo/event-desk.ts';
import { controlHeader } from './control-header.ts';

export interface ControlServiceOptions {
  readonly desk: EventDesk;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly notReady: () => string | undefined;
}

export interface ControlService {
  readonly url: string;
  close(): Promise<void>;
}

/** On a free port of the loopback interface. */
export async function startControlService(options: ControlServiceOptions): Promise<ControlService> {
  const { desk, logger, registry, notReady } = options;
  const metrics = createHttpMetrics(registry);
  const app = await createHttpServer({ logger, limits: defaultLimits, metrics });
  registerProbes(app, { registry, isDraining: () => false, notReady });
  app.get<{ Params: { uid: string } }>('/events/of/:uid', async ({ params }) =>
    desk.recordsOf(asUid(params.uid)),
  );
  app.post<{ Params: { id: string } }>('/events/:id/redeliver', async (request, reply) => {
    if (request.headers[controlHeader] === undefined) {
      return sendProblem(reply, 403, 'Forbidden', `the header ${controlHeader} is missing`);
    }
    const { id } = request.params;
    const redelivery = await desk.redeliver(id);
    if (redelivery !== undefined) return redelivery;
    return sendProblem(reply, 404, 'Not Found', `no event ${id} is recorded`);
  });
  const url = await listenOn(app, { host: '127.0.0.1', port: 0 });
  return {
    url,
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
