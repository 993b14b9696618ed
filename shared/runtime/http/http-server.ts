import underPressure from '@fastify/under-pressure';
import {
  fastify,
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { MillraceError } from '#shared/domain/errors.ts';
import { BodyReader } from './body-reader.ts';
import type { CertificatePair } from './serving-certificate.ts';
import { limitConnections } from './connection-limit.ts';
import type { HttpMetrics } from './http-metrics.ts';
import { sendProblem } from './problem.ts';
import type { ServiceLimits } from './service-limits.ts';
import type { Logger } from '../process/telemetry.ts';

export interface HttpServerOptions {
  readonly logger: Logger;
  readonly limits: ServiceLimits;
  readonly metrics: HttpMetrics;
  /** Absent: plain HTTP. */
  readonly tls?: CertificatePair;
}

/** Config of a route that answers under any load (under-pressure calls its handler). */
export const neverShed = { pressureHandler: (): void => undefined };

/** A bare server with limits, load shedding and problem details; bodies arrive as bytes. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { limits, metrics, tls } = options;
  const http = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    // Node checks for late requests at this interval; its default is 30 s.
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
  };
  // By default a client that never starts the handshake keeps a connection for 120 s.
  const handshakeTimeout = limits.headersTimeoutMs;
  const app = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: 'idle',
    ...(tls === undefined ? { http } : { https: { ...http, handshakeTimeout, ...tls } }),
  }) as unknown as FastifyInstance;
  app.removeAllContentTypeParsers();
  const bodies = new BodyReader(limits);
  app.addContentTypeParser('*', (request: FastifyRequest) => bodies.read(request.raw));
  limitConnections(app.server, limits.maxConnections, () =>
    metrics.shed.inc({ reason: 'connections' }),
  );
  await app.register(underPressure, {
    maxEventLoopUtilization: limits.maxEventLoopUtilization,
    eventLoopUtilizationMode: 'interval',
    maxEventLoopDelay: limits.maxEventLoopDelayMs,
    sampleInterval: limits.pressureSampleMs,
    retryAfter: 1,
    message: 'the process is too busy',
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    if (error.code === 'FST_UNDER_PRESSURE') metrics.shed.inc({ reason: 'pressure' });
    return replyToError(options.logger, error, reply);
  });
  app.setNotFoundHandler(replyNotFound);
  // Before the body: a request for an unknown path takes no other request's turn.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) replyNotFound(request, reply.header('connection', 'close'));
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    metrics.requests.inc({ route, status: String(reply.statusCode) });
    done();
  });
  return app;
}

/** Listens and returns the address as a URL. On a machine without IPv6, `::` means 0.0.0.0. */
export async function listenOn(
  app: FastifyInstance,
  where: { readonly host: string; readonly port: number },
): Promise<string> {
  const listenTextResolver = (): string => 'listening';
  try {
    return await app.listen({ ...where, listenTextResolver });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (where.host !== '::' || (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL')) throw error;
    return app.listen({ ...where, host: '0.0.0.0', listenTextResolver });
  }
}

/**
 * Longer than the API server keeps an idle connection to a webhook (90 s, apimachinery SetTransportDefaults) and than
 * the dispatcher does. The server never closes first, so no request meets a connection that is being closed.
 */
const keepAliveMs = 120_000;

function replyNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const detail = `there is no ${request.method} ${shown(request.url)}`;
  return sendProblem(reply, 404, 'Not Found', detail);
}

/** The beginning of a path, which may be as long as all headers together. */
function shown(url: string): string {
  return url.length > 200 ? `${url.slice(0, 200)}...` : url;
}

function replyToError(logger: Logger, error: FastifyError, reply: FastifyReply): FastifyReply {
  if (error instanceof MillraceError) {
    return sendProblem(reply, statusOf(error), error.code, error.message);
  }
  const status = error.statusCode ?? 500;
  if (status >= 500 && error.code !== 'FST_UNDER_PRESSURE') {
    logger.error({ err: error }, 'request failed');
  }
  return sendProblem(reply, status, error.code, error.message);
}

function statusOf(error: MillraceError): number {
  switch (error.code) {
    case 'MR_EVENT_MALFORMED':
      return Number(error.fields['status'] ?? 400);
    case 'MR_DELIVERY_UNAUTHENTICATED':
      return 401;
    case 'MR_EVENT_UNROUTABLE':
      return 422;
    default:
      return 500;
  }
}
