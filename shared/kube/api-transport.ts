/**
 * One request to the API server, with its deadline, credentials and repetitions.
 *
 * transport-1 Only reads are repeated after a broken connection. A write that broke may have been
 *    applied, and only its caller can decide to send it again.
 * transport-2 A 401 is tried once more after the credentials were read again: no server has acted
 *    on it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { Connection, Headers } from './connection.ts';
import { apiError, unreachable, type RequestLabel } from './api-error.ts';
import { asUnreachable, isBroken } from './broken-connection.ts';
import { warningTexts } from './warning-header.ts';
import { type AnswerHead, AnswerTimeout, type WholeAnswer, wholeAnswer } from './whole-answer.ts';

export interface ApiRequest extends RequestLabel {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Plural of the resource, for metrics. */
  readonly resource: string;
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called with each warning of the answer, even if the answer is a refusal. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** One answered or failed request, as the `onRequest` hook gets it. */
export interface RequestReport {
  readonly verb: string;
  readonly resource: string;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  readonly durationMs: number;
}

/** The API server's time according to an answer. */
export interface ServerTime {
  /** The Date header, unparsed. */
  readonly date: string | undefined;
  /** When the request was sent and when its answer began, in monotonic milliseconds. */
  readonly askedMs: number;
  readonly answeredMs: number;
}

export interface TransportOptions {
  readonly connection: Connection;
  readonly userAgent: string;
  /** From sending to the last byte, in milliseconds; not for a watch. Default 30,000. */
  readonly timeoutMs?: number;
  readonly onRequest?: (report: RequestReport) => void;
  /** Called for every answer, including refusals and opened watches; see ClusterClock. */
  readonly onServerTime?: (time: ServerTime) => void;
  /** In [0, 1); default Math.random. */
  readonly random?: () => number;
  /** Monotonic milliseconds; default performance.now. */
  readonly nowMs?: () => number;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
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

  /**
   * The answer if its status is 2xx. Throws MR_API_* for any other, and the signal's reason on
   * abort.
   */
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

  /** Opens a stream of bytes, which the caller's signal ends. Throws like {@link send}. */
  async stream(
    request: ApiRequest & { readonly signal: AbortSignal },
  ): Promise<AsyncIterable<Buffer>> {
    try {
      const response = await this.#authorized(
        request,
        () => this.#opened(request),
        ({ body }) => body.text(),
      );
      return response.body;
    } catch (error) {
      throw asUnreachable(request, error);
    }
  }

  async #sendOnce(request: ApiRequest): Promise<Answer> {
    try {
      const { statusCode, headers, text } = await this.#authorized(
        request,
        () => this.#answered(request),
        (answer) => answer.text,
      );
      warn(request, headers);
      return { status: statusCode, body: text };
    } catch (error) {
      if (error instanceof AnswerTimeout)
        throw unreachable(request, `no answer within ${this.#timeoutMs} ms`, error);
      throw error;
    }
  }

  async #authorized<Received extends AnswerHead>(
    request: ApiRequest,
    ask: () => Promise<Received>,
    textOf: (received: Received) => Promise<string> | string,
  ): Promise<Received> {
    const first = await ask();
    if (first.statusCode !== 401) return accepted(request, first, textOf);
    const body = await textOf(first);
    const isFresh = await this.#options.connection.refresh().catch(() => false); // the 401 says more
    if (!isFresh) throw apiError(request, 401, body);
    return accepted(request, await ask(), textOf);
  }

  async #answered(request: ApiRequest): Promise<WholeAnswer> {
    const sent = await this.#wire(request);
    const account = this.#account(request);
    try {
      return await wholeAnswer({
        dispatcher: this.#options.connection.dispatcher,
        request: { ...sent, bodyTimeout: this.#timeoutMs },
        timeoutMs: this.#timeoutMs,
        signal: request.signal,
        onHead: account.answered,
      });
    } catch (error) {
      account.failed();
      throw error;
    }
  }

  async #opened(
    request: ApiRequest & { readonly signal: AbortSignal },
  ): Promise<Dispatcher.ResponseData> {
    const sent = await this.#wire(request);
    const account = this.#account(request);
    const { streams } = this.#options.connection;
    try {
      const response = await streams.request({
        ...{ ...sent, bodyTimeout: 0 },
        signal: request.signal,
      });
      account.answered(response);
      return response;
    } catch (error) {
      account.failed();
      throw error;
    }
  }

  /** Reports the request once: when its answer begins, or when there will be none. */
  #account({ verb, resource }: ApiRequest): {
    readonly answered: (head: AnswerHead) => void;
    readonly failed: () => void;
  } {
    const askedMs = this.#nowMs();
    let isReported = false;
    const report = (status: number): void => {
      isReported = true;
      const durationMs = this.#nowMs() - askedMs;
      this.#options.onRequest?.({ verb, resource, status, durationMs });
    };
    return {
      answered: ({ statusCode, headers }) => {
        report(statusCode);
        const date = single(headers.date);
        this.#options.onServerTime?.({ date, askedMs, answeredMs: this.#nowMs() });
      },
      failed: () => {
        if (!isReported) report(0);
      },
    };
  }

  async #wire(request: ApiRequest): Promise<Dispatcher.DispatchOptions> {
    const { connection } = this.#options;
    const authorization = await connection.headers();
    const target = new URL(`${connection.server}${request.path}`);
    const query = request.query?.toString() ?? '';
    return {
      origin: target.origin,
      path: query === '' ? target.pathname : `${target.pathname}?${query}`,
      method: request.method,
      headers: this.#headers(request, authorization),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      headersTimeout: this.#timeoutMs,
    };
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

async function accepted<Received extends AnswerHead>(
  request: ApiRequest,
  received: Received,
  textOf: (received: Received) => Promise<string> | string,
): Promise<Received> {
  const { statusCode, headers } = received;
  if (statusCode >= 200 && statusCode < 300) return received;
  const body = await textOf(received);
  warn(request, headers);
  throw apiError(request, statusCode, body, single(headers['retry-after']));
}

function warn({ onWarning }: ApiRequest, headers: AnswerHead['headers']): void {
  for (const text of warningTexts(headers.warning)) onWarning?.(text);
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
