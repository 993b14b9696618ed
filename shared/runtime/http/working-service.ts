import type { Server as TlsServer } from 'node:https';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Registry } from 'prom-client';
import type { Logger } from '../process/telemetry.ts';
import { createHttpMetrics, exposeInFlight, type HttpMetrics } from './http-metrics.ts';
import { createHttpServer, listenOn } from './http-server.ts';
import { InFlightGate } from './in-flight-gate.ts';
import { registerProbes } from './probes.ts';
import type { ServiceLimits } from './service-limits.ts';
import type { ServingCertificate } from './serving-certificate.ts';

export interface WorkingServiceOptions {
  readonly logger: Logger;
  readonly registry: Registry;
  readonly limits: ServiceLimits;
  /** A plural word for its requests: `events`. */
  readonly worksOn: string;
  /** Answers 503 in the sender's protocol. */
  readonly refuse: (reply: FastifyReply, message: string) => void;
  /** Absent: plain HTTP. */
  readonly certificate?: ServingCertificate;
}

/** Time for finished answers to be sent, in milliseconds. */
const answersOutMs = 500;

/** A server whose requests are work: no more at once than its limits allow, and none while it drains. */
export class WorkingService {
  readonly app: FastifyInstance;
  readonly metrics: HttpMetrics;
  readonly #options: WorkingServiceOptions;
  readonly #gate: InFlightGate;
  #draining = false;

  static async create(options: WorkingServiceOptions): Promise<WorkingService> {
    const { registry, certificate } = options;
    const metrics = createHttpMetrics(registry);
    const tls = certificate === undefined ? {} : { tls: certificate.current() };
    const app = await createHttpServer({ ...options, ...tls, metrics });
    if (certificate !== undefined) {
      const server = app.server as unknown as TlsServer;
      certificate.onReplaced((pair) => server.setSecureContext(pair));
    }
    return new WorkingService(app, metrics, options);
  }

  private constructor(app: FastifyInstance, metrics: HttpMetrics, options: WorkingServiceOptions) {
    const { registry, limits, certificate } = options;
    this.app = app;
    this.metrics = metrics;
    this.#options = options;
    this.#gate = new InFlightGate(limits.maxInFlight);
    exposeInFlight(registry, () => this.#gate.inFlight);
    registerProbes(app, {
      registry,
      isDraining: () => this.#draining,
      ...(certificate === undefined ? {} : { notReady: () => certificate.notReady() }),
    });
  }

  /** Whether new work is refused; the request is then answered, and counted as shed. */
  turnsAway(reply: FastifyReply): boolean {
    const { limit, isFull } = this.#gate;
    if (this.#draining) {
      void reply.header('connection', 'close');
      this.#shed(reply, 'draining', 'the process is about to end');
    } else if (isFull) {
      this.#shed(reply, 'full', `${limit} ${this.#options.worksOn} are being worked on`);
    }
    return this.#draining || isFull;
  }

  /** The release function, to be called when the work is over. Undefined: the request was refused. */
  tryEnter(reply: FastifyReply): (() => void) | undefined {
    return this.turnsAway(reply) ? undefined : this.#gate.tryEnter();
  }

  /** The address it listens on, as a URL. It uses an IP address, because `localhost` may mean two. */
  listen(where: { readonly host: string; readonly port: number }): Promise<string> {
    return listenOn(this.app, where);
  }

  /** Stops taking work, waits for running work within the bound, and closes. */
  async drain(): Promise<void> {
    const { logger, limits, worksOn } = this.#options;
    this.#draining = true;
    const finished = await this.#gate.idleWithin(limits.drainMs);
    if (!finished) {
      logger.warn({ inFlight: this.#gate.inFlight }, `gave up waiting for ${worksOn}`);
      // Fastify closes idle keep-alive connections; the rest are abandoned ones.
      this.app.server.closeAllConnections();
    }
    await this.#close();
  }

  /** Node counts an open connection that never carried a request as busy. */
  async #close(): Promise<void> {
    const { server } = this.app;
    const unused = setTimeout(() => server.closeAllConnections(), answersOutMs);
    try {
      await this.app.close();
    } finally {
      clearTimeout(unused);
    }
  }

  /** With Retry-After an API server retries until its own time limit (client-go rest). */
  #shed(reply: FastifyReply, reason: 'draining' | 'full', message: string): void {
    this.metrics.shed.inc({ reason });
    this.#options.refuse(reply.header('retry-after', '1'), message);
  }
}
