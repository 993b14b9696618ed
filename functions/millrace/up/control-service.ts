/** Health, metrics, recorded events and functions of an `up`, for users with its kubeconfig. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { hasCode } from '#shared/domain/errors.ts';
import { asUid } from '#shared/domain/objects.ts';
import { createHttpMetrics } from '#shared/runtime/http/http-metrics.ts';
import { createHttpServer, listenOn, neverShed } from '#shared/runtime/http/http-server.ts';
import { carriesToken, strangerFault, unauthorized } from '#sandbox';
import { sendProblem } from '#shared/runtime/http/problem.ts';
import { readHttpEvent } from '#shared/events/http-binding.ts';
import { sendVerdict, whenAbandoned } from '#shared/runtime/function/event-route.ts';
import { registerProbes } from '#shared/runtime/http/probes.ts';
import { defaultLimits } from '#shared/runtime/http/service-limits.ts';
import { parsePosition } from '#shared/journal/position.ts';
import type { Journal } from '#shared/journal/journal.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import type { EventDesk } from '../demo/event-desk.ts';
import type { Invoke } from './invocation.ts';
import { queueReport } from './queue-report.ts';

export interface ControlServiceOptions {
  readonly desk: EventDesk;
  readonly invoke: Invoke;
  readonly journal: Pick<Journal, 'read'>;
  readonly queue: Pick<WorkQueue, 'depth' | 'parked' | 'dropParked'>;
  readonly logger: Logger;
  readonly registry: Registry;
  /** The token of the sandbox. */
  readonly token: string;
  readonly notReady: () => string | undefined;
}

export interface ControlService {
  readonly url: string;
  close(): Promise<void>;
}

/** Limit for journal entries in one answer. */
const mostEntries = 1_000;

/** Listens on a free port of the loopback interface. */
export async function startControlService(options: ControlServiceOptions): Promise<ControlService> {
  const { desk, invoke, journal, queue, logger, registry, token, notReady } = options;
  const metrics = createHttpMetrics(registry);
  const app = await createHttpServer({ logger, limits: defaultLimits, metrics });
  guard(app, token);
  registerProbes(app, { registry, isDraining: () => false, notReady });
  // Requests are rare, and matter most when the process is busy, so they are never shed.
  const config = neverShed;
  const reading = { config, errorHandler: sendQueueFault };
  app.get<{ Params: { uid: string } }>('/events/of/:uid', reading, async ({ params }) =>
    desk.recordsOf(asUid(params.uid)),
  );
  app.post<{ Params: { id: string } }>('/events/:id/redeliver', reading, async (request, reply) => {
    const { id } = request.params;
    const redelivery = await desk.redeliver(id);
    if (redelivery !== undefined) return redelivery;
    return sendProblem(reply, 404, 'Not Found', `no event ${id} is recorded`);
  });
  app.post<{ Params: { function: string } }>(
    '/functions/:function',
    { config },
    async ({ params: { function: name }, raw, body }, reply) => {
      const bytes = body instanceof Uint8Array ? body : new Uint8Array();
      const event = readHttpEvent(raw.rawHeaders, bytes);
      const verdict = await invoke(name, event, whenAbandoned(reply));
      if (verdict !== undefined) return sendVerdict(reply, verdict);
      return sendProblem(reply, 404, 'Not Found', `there is no function ${name}`);
    },
  );
  app.get<{ Querystring: { after?: string; limit?: string } }>(
    '/journal',
    reading,
    async ({ query: { after, limit } }, reply) => {
      if (after !== undefined && !isPosition(after)) {
        return sendProblem(reply, 400, 'Bad Request', 'after is no position in the journal');
      }
      return journal.read(
        after,
        Math.min(mostEntries, Math.max(1, Math.floor(Number(limit)) || 1)),
      );
    },
  );
  app.get('/queue', reading, () => queueReport(queue));
  app.post<{ Params: { function: string; uid: string } }>(
    '/queue/:function/:uid/drop',
    reading,
    async ({ params: { function: name, uid } }, reply) => {
      const parked = (await queue.parked(name)).find(({ item }) => item.key.uid === uid);
      if (parked !== undefined && (await queue.dropParked(parked.item))) return {};
      return sendProblem(reply, 404, 'Not Found', `${name} has parked nothing of ${uid}`);
    },
  );
  const url = await listenOn(app, { host: '127.0.0.1', port: 0 });
  return {
    url,
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** With its fields, so that the command throws the same error. */
function sendQueueFault(error: Error, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!hasCode(error, 'MR_QUEUE_UNAVAILABLE')) throw error;
  return sendProblem(reply, 503, error.code, error.message, error.fields);
}

function isPosition(text: string): boolean {
  try {
    parsePosition(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The same access control as in the sandbox. Probes and metrics need no token, as in functions: they contain nothing
 * of objects.
 */
function guard(app: FastifyInstance, token: string): void {
  app.addHook('onRequest', async ({ raw, routeOptions }, reply) => {
    const { url = '' } = routeOptions;
    const isOpen = url.startsWith('/health/') || url === '/metrics';
    const isKnown = isOpen || carriesToken(raw, token);
    const fault = strangerFault(raw) ?? (isKnown ? undefined : unauthorized());
    if (fault !== undefined) return sendProblem(reply, fault.code, fault.reason, fault.message);
  });
}
