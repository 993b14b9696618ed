/** The log of a container, from the subresource `log` of its Pod. */
import { apiPath, type ObjectName } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { ApiTransport, type TransportOptions } from './api-transport.ts';

export interface LogRequest extends ObjectName {
  readonly container: string;
  /** Continue until the container ends. */
  readonly follow: boolean;
  /** The container before its last restart. */
  readonly previous?: boolean;
  /** Only this many of the last lines. */
  readonly tailLines?: number;
  /** Only lines younger than this, in seconds. */
  readonly sinceSeconds?: number;
  /** Each line begins with its time, RFC 3339. */
  readonly timestamps?: boolean;
}

/** Reads logs of Pods over HTTP. */
export class PodLogs {
  readonly #transport: ApiTransport;

  constructor(options: TransportOptions) {
    this.#transport = new ApiTransport(options);
  }

  /**
   * Line by line, without line ends; the last line may lack one. Throws MR_API_INVALID if the container has not started
   * yet, MR_API_NOT_FOUND, and the errors of {@link ApiTransport}. An abort of `signal` ends it without error.
   */
  async *lines(request: LogRequest, signal: AbortSignal): AsyncGenerator<string, void> {
    const { container, follow, previous = false, timestamps = false } = request;
    const query = new URLSearchParams({ container });
    if (follow) query.set('follow', 'true');
    if (previous) query.set('previous', 'true');
    if (timestamps) query.set('timestamps', 'true');
    if (request.tailLines !== undefined) query.set('tailLines', `${request.tailLines}`);
    if (request.sinceSeconds !== undefined) query.set('sinceSeconds', `${request.sinceSeconds}`);
    const path = `${apiPath(resources.Pod, request.namespace, request.name)}/log`;
    const label = { verb: 'get', method: 'GET', resource: 'pods/log', path } as const;
    try {
      yield* linesOf(await this.#transport.stream({ ...label, query, signal }));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
