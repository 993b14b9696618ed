import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { neverShed } from './http-server.ts';
import { sendProblem } from './problem.ts';

export interface ProbeOptions {
  readonly registry: Registry;
  readonly isDraining: () => boolean;
  /** Why the process cannot do its work now; undefined if it can. */
  readonly notReady?: () => string | undefined;
}

/** `/health/liveness`, `/health/readiness` and `/metrics`, which answer under any load. */
export function registerProbes(app: FastifyInstance, options: ProbeOptions): void {
  const { registry, isDraining, notReady } = options;
  app.get('/health/liveness', { config: neverShed }, (_request, reply) => reply.send('ok'));
  app.get('/health/readiness', { config: neverShed }, (_request, reply) => {
    const reason = isDraining() ? 'draining' : notReady?.();
    return reason === undefined ? reply.send('ok') : sendProblem(reply, 503, 'Not Ready', reason);
  });
  app.get('/metrics', { config: neverShed }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
