/**
 * An HTTP server on 127.0.0.1 that answers as the test says. A client meets every kind of
 * misbehaviour of an API server or the network.
 *
 * A request takes the first matching `once` reply, else the latest matching `on` reply, else 404.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly isWatch: boolean;
}

export interface Matcher {
  readonly method?: string;
  /** A text must equal the whole path. */
  readonly path?: string | RegExp;
  readonly watch?: boolean;
}

export interface ListPage {
  readonly items: readonly object[];
  readonly resourceVersion: string;
  readonly continue?: string;
  /** Such as `JobList`. List items have neither kind nor apiVersion, as on a real server. */
  readonly kind?: string;
  readonly apiVersion?: string;
}

export interface StatusFault {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that waits for its answer. */
export interface Exchange {
  readonly request: SeenRequest;
  json(code: number, body: unknown, headers?: Readonly<Record<string, string>>): void;
  /** Any text with any content type, as from a proxy. */
  text(code: number, body: string, headers?: Readonly<Record<string, string>>): void;
  list(page: ListPage): void;
  /** A metav1.Status. */
  status(code: number, fault?: StatusFault): void;
  watch(): WatchStream;
  /** Announces more bytes than it sends, then closes the connection. */
  truncated(body: string): void;
  /** Sends no answer and keeps the connection open until the server closes. */
  hang(): void;
  /** Closes the connection with a TCP reset. */
  reset(): void;
}

/** A watch under the test's control; a silent watch writes nothing. */
export interface WatchStream {
  event(
    type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR' | (string & {}),
    object: object,
  ): void;
  /** Raw bytes: half a line, half a character, many lines in one chunk. */
  raw(bytes: string | Uint8Array): void;
  /** Closes it properly, as at the end of timeoutSeconds. */
  end(): void;
  reset(): void;
  /** Fulfils when the client or the server has closed it. */
  readonly closed: Promise<void>;
}

export type Reply = (exchange: Exchange) => void | Promise<void>;

interface Rule {
  readonly matcher: Matcher;
  readonly reply: Reply;
}

export interface LoopbackOptions {
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /** Default: any free port. A fixed one lets a test stop and restart the same address. */
  readonly port?: number;
}

export class LoopbackApiServer {
  readonly url: string;
  readonly port: number;
  /** Every request in the order of arrival. */
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #sockets: ReadonlySet<Socket>;
  #once: Rule[] = [];
  readonly #standing: Rule[] = [];
  #connections = 0;

  static async start(options: LoopbackOptions = {}): Promise<LoopbackApiServer> {
    const server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
    const sockets = new Set<Socket>();
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return new LoopbackApiServer(server, sockets, options.tls === undefined ? 'http' : 'https');
  }

  private constructor(server: Server, sockets: Set<Socket>, scheme: 'http' | 'https') {
    this.#server = server;
    this.#sockets = sockets;
    this.port = (server.address() as AddressInfo).port;
    this.url = `${scheme}://127.0.0.1:${this.port}`;
    server.on(scheme === 'http' ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.#connections += 1;
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  /** Number of accepted connections. */
  get connections(): number {
    return this.#connections;
  }

  /** Number of open connections. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  /** Answers the next matching request that no earlier `once` takes. */
  once(matcher: Matcher, reply: Reply): this {
    this.#once.push({ matcher, reply });
    return this;
  }

  /** Answers every matching request from now on. */
  on(matcher: Matcher, reply: Reply): this {
    this.#standing.unshift({ matcher, reply });
    return this;
  }

  /** Waits for the next matching request and passes it to the test unanswered. */
  next(matcher: Matcher): Promise<Exchange> {
    return new Promise((resolve) => this.once(matcher, resolve));
  }

  seen(matcher: Matcher): readonly SeenRequest[] {
    return this.requests.filter((request) => matches(matcher, request));
  }

  resetConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message).catch(() => undefined);
    if (request === undefined) return;
    this.requests.push(request);
    await this.#replyTo(request)(exchangeOf(request, response));
  }

  #replyTo(request: SeenRequest): Reply {
    const single = this.#once.find((rule) => matches(rule.matcher, request));
    if (single !== undefined) {
      this.#once = this.#once.filter((rule) => rule !== single);
      return single.reply;
    }
    const standing = this.#standing.find((rule) => matches(rule.matcher, request));
    return standing?.reply ?? ((exchange) => exchange.status(404, { reason: 'NotFound' }));
  }
}

function matches(matcher: Matcher, request: SeenRequest): boolean {
  if (matcher.method !== undefined && matcher.method !== request.method) return false;
  if (matcher.watch !== undefined && matcher.watch !== request.isWatch) return false;
  if (matcher.path === undefined) return true;
  return typeof matcher.path === 'string'
    ? matcher.path === request.path
    : matcher.path.test(request.path);
}

async function readRequest(message: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const url = new URL(message.url ?? '/', 'http://loopback');
  return {
    method: message.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: message.headers,
    body: Buffer.concat(chunks).toString('utf8'),
    isWatch: ['1', 'true'].includes(url.searchParams.get('watch') ?? ''),
  };
}

function exchangeOf(request: SeenRequest, response: ServerResponse): Exchange {
  const text: Exchange['text'] = (code, body, headers = {}) => {
    response.writeHead(code, headers).end(body);
  };
  const json: Exchange['json'] = (code, body, headers = {}) =>
    text(code, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  return {
    request,
    text,
    json,
    list: (page) => json(200, listBody(page)),
    status: (code, fault = {}) => json(code, statusBody(code, fault), fault.headers),
    watch: () => openWatch(response),
    truncated: (body) => {
      const announced = String(Buffer.byteLength(body) + 100);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': announced });
      response.write(body, () => response.socket?.end());
    },
    hang: () => undefined,
    reset: () => response.socket?.resetAndDestroy(),
  };
}

function listBody(page: ListPage): object {
  return {
    kind: page.kind ?? 'List',
    apiVersion: page.apiVersion ?? 'v1',
    metadata: {
      resourceVersion: page.resourceVersion,
      ...(page.continue === undefined ? {} : { continue: page.continue }),
    },
    items: page.items,
  };
}

/** A metav1.Status as the API server writes it. */
export function statusBody(code: number, fault: StatusFault = {}): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: fault.message ?? `answered ${code} on purpose`,
    ...(fault.reason === undefined ? {} : { reason: fault.reason }),
    ...(fault.details === undefined ? {} : { details: fault.details }),
    code,
  };
}

function openWatch(response: ServerResponse): WatchStream {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const raw: WatchStream['raw'] = (bytes) => {
    if (!response.destroyed) response.write(bytes);
  };
  return {
    event: (type, object) => raw(`${JSON.stringify({ type, object })}\n`),
    raw,
    end: () => void response.end(),
    reset: () => response.socket?.resetAndDestroy(),
    closed,
  };
}
