/** A minimal HTTP client: one request with its whole answer, or a stream of lines. */
import { Agent, request } from 'undici';

/** One of the compared servers. */
export interface Server {
  /** `https://127.0.0.1:6443` or `http://...`. */
  readonly origin: string;
  /** PEM; absent for plain http. */
  readonly ca?: string;
  readonly token?: string;
}

export interface WireRequest {
  readonly method: string;
  /** With its query, as it is sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WireAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** Limit for an answer, in milliseconds. */
const answerMs = 60_000;

export class Wire {
  readonly #server: Server;
  readonly #agent: Agent;

  constructor(server: Server) {
    this.#server = server;
    this.#agent = new Agent({
      headersTimeout: answerMs,
      bodyTimeout: 0,
      connections: 64,
      connect: server.ca === undefined ? {} : { ca: server.ca },
    });
  }

  /** The answer, whatever its code. Throws when there is none. */
  async send(asked: WireRequest): Promise<WireAnswer> {
    const { statusCode, headers, body } = await this.#request(asked);
    return { code: statusCode, headers, text: await body.text() };
  }

  /** Code and headers of the answer, and its lines until the signal ends them. */
  async stream(asked: WireRequest, signal: AbortSignal): Promise<WireStream> {
    const { statusCode, headers, body } = await this.#request(asked, signal);
    return { code: statusCode, headers, lines: linesOf(body) };
  }

  #request({ method, path, headers, body }: WireRequest, signal?: AbortSignal) {
    const { origin, token } = this.#server;
    return request(`${origin}${path}`, {
      method: method as 'GET',
      dispatcher: this.#agent,
      headers: {
        'user-agent': 'conformance/1.0',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

export interface WireStream {
  readonly code: number;
  readonly headers: WireAnswer['headers'];
  readonly lines: AsyncIterable<string>;
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop()!;
    yield* parts.filter((part) => part !== '');
  }
  if (rest !== '') yield rest;
}
