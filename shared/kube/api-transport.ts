/**
 * One request to the API server, with its deadline, credentials and repetitions.
 *
 * T1 Only reads are repeated after a broken connection: a write that broke may have been applied,
 *    and only who knows what it meant may send it again.
 * T2 A 401 is tried once more, after the credentials were read again: no server has acted on it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { Connection, Headers } from './connection.ts';
import { apiError, unreachable, type RequestLabel } from './api-error.ts';
import { asUnreachable, isBroken } from './broken-connection.ts';
import { warningTexts } from './warning-header.ts';

export interface ApiRequest extends RequestLabel {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Plural of the resource, for metrics. */
  readonly resource: string;
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** One answered or failed request, as the `onRequest` hook is told. */
export interface RequestReport {
  readonly verb: string;
  readonly resource: string;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly durationMs: number;
}

/** What an answer says of the time at the API server. */
export interface ServerTime {
  /** The Date header as it came. */
  readonly date: string | undefined;
  /** Monotonic milliseconds at which the request was sent and its answer began. */
  readonly askedMs: number;
  readonly answeredMs: number;
}

export interface TransportOptions {
  readonly connection: Connection;
  readonly userAgent: string;
  /** From sending to the last byte, in milliseconds; not for a watch. Default 30,000. */
  readonly timeoutMs?: number;
  readonly onRequest?: (report: RequestReport) => void;
  /** Told of every answer, refusals and opened watches included; see ClusterClock. */
  readonly onServerTime?: (time: ServerTime) => void;
  /** In [0, 1); default Math.random. */
  readonly random?: () => number;
  /** Monotonic milliseconds; default performance.now. */
  readonly nowMs?: () => number;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly warnings: readonly string[];
}

const readRepetitions = 2;
/** Upper bound of the first pause between two attempts of a read, in milliseconds; it doubles. */
const firstPauseMs = 100;

export class ApiTransport {
  readonly #options: TransportOptions;
  readonly #timeoutMs: number;
  readonly #nowMs: () => number;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** The answer with a 2xx status; throws MR_API_* for every other, the signal's reason on abort. */
  async send(request: ApiRequest): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#sendOnce(request);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (request.method !== 'GET' || attempt > readRepetitions || !isBroken(error)) {
          throw asUnreachable(request, error);
        }
      }
      await this.#pause(attempt, request.signal);
    }
  }

  /** Opens a stream of bytes; the caller's signal ends it. Throws like {@link send}. */
  async stream(
    request: ApiRequest & { readonly signal: AbortSignal },
  ): Promise<AsyncIterable<Buffer>> {
    try {
      const response = await this.#authorized(request, request.signal, 0);
      return response.body;
    } catch (error) {
      throw asUnreachable(request, error);
    }
  }

  async #sendOnce(request: ApiRequest): Promise<Answer> {
    const deadline = new Deadline(this.#timeoutMs, request.signal);
    try {
      const response = await this.#authorized(request, deadline.signal, this.#timeoutMs);
      return {
        status: response.statusCode,
        body: await response.body.text(),
        warnings: warningTexts(response.headers['warning']),
      };
    } catch (error) {
      if (deadline.passed)
        throw unreachable(request, `no answer within ${this.#timeoutMs} ms`, error);
      throw error;
    } finally {
      deadline.clear();
    }
  }

  async #authorized(
    request: ApiRequest,
    signal: AbortSignal,
    bodyTimeout: number,
  ): Promise<Dispatcher.ResponseData> {
    const response = await this.#dispatch(request, signal, bodyTimeout);
    if (response.statusCode !== 401) return accepted(request, response);
    const body = await response.body.text();
    const isFresh = await this.#options.connection.refresh().catch(() => false); // the 401 tells more
    if (!isFresh) throw apiError(request, 401, body);
    return accepted(request, await this.#dispatch(request, signal, bodyTimeout));
  }

  async #dispatch(
    request: ApiRequest,
    signal: AbortSignal,
    bodyTimeout: number,
  ): Promise<Dispatcher.ResponseData> {
    const { connection } = this.#options;
    const authorization = await connection.headers();
    const target = new URL(`${connection.server}${request.path}`);
    const query = request.query?.toString() ?? '';
    const startedMs = this.#nowMs();
    const report = (status: number): void =>
      this.#options.onRequest?.({
        verb: request.verb,
        resource: request.resource,
        status,
        durationMs: this.#nowMs() - startedMs,
      });
    try {
      const response = await connection.dispatcher.request({
        origin: target.origin,
        path: query === '' ? target.pathname : `${target.pathname}?${query}`,
        method: request.method,
        headers: this.#headers(request, authorization),
        body: request.body === undefined ? null : JSON.stringify(request.body),
        signal,
        headersTimeout: this.#timeoutMs,
        bodyTimeout,
      });
      report(response.statusCode);
      const date = single(response.headers['date']);
      this.#options.onServerTime?.({ date, askedMs: startedMs, answeredMs: this.#nowMs() });
      return response;
    } catch (error) {
      report(0);
      throw error;
    }
  }

  #headers(request: ApiRequest, authorization: Headers): Record<string, string | string[]> {
    return {
      ...authorization,
      accept: 'application/json',
      'user-agent': this.#options.userAgent,
      ...(request.body === undefined
        ? {}
        : { 'content-type': request.contentType ?? 'application/json' }),
    };
  }

  async #pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
    const random = this.#options.random ?? Math.random;
    const pauseMs = random() * firstPauseMs * 2 ** (attempt - 1);
    await sleep(pauseMs, undefined, signal === undefined ? {} : { signal });
  }
}

/** A time limit and the caller's signal in one; cheaper than AbortSignal.any per request. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal | undefined;
  readonly #forward = (): void => this.#controller.abort(this.#outer?.reason);
  passed = false;

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.passed = true;
      this.#controller.abort();
    }, timeoutMs);
    if (outer?.aborted === true) this.#forward();
    outer?.addEventListener('abort', this.#forward, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#forward);
  }
}

async function accepted(
  request: ApiRequest,
  response: Dispatcher.ResponseData,
): Promise<Dispatcher.ResponseData> {
  const { statusCode, headers } = response;
  if (statusCode >= 200 && statusCode < 300) return response;
  const body = await response.body.text();
  throw apiError(request, statusCode, body, single(headers['retry-after']));
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
