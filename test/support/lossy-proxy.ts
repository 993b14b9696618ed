import type { Connection } from '#shared/kube/connection.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { type Exchange, LoopbackApiServer } from './loopback-api-server.ts';
import { clientFor } from './loopback-client.ts';

export interface LossyProxy extends AsyncDisposable {
  /** Connects through the proxy. */
  readonly client: KubeClient;
  readonly lostReplies: () => number;
}

/**
 * A proxy before a real API server that passes every request on. For each different write, it
 * resets the connection instead of the first reply. So the write is applied, but the client gets no
 * answer.
 */
export async function startLossyProxy(upstream: Connection): Promise<LossyProxy> {
  const server = await LoopbackApiServer.start();
  const lost = new Set<string>();
  server.on({}, async (exchange) => {
    const { method, path } = exchange.request;
    const answer = await forward(upstream, exchange);
    const write = `${method} ${path}`;
    if (method === 'GET' || lost.has(write)) {
      exchange.text(answer.status, answer.body, { 'content-type': 'application/json' });
      return;
    }
    lost.add(write);
    exchange.reset();
  });
  const { client, connection } = await clientFor(server.url);
  return {
    client,
    lostReplies: () => lost.size,
    [Symbol.asyncDispose]: async () => {
      await connection.close();
      await server.close();
    },
  };
}

async function forward(
  upstream: Connection,
  { request }: Exchange,
): Promise<{ readonly status: number; readonly body: string }> {
  const query = request.query.size === 0 ? '' : `?${request.query.toString()}`;
  const response = await upstream.dispatcher.request({
    origin: upstream.server,
    path: `${request.path}${query}`,
    method: request.method,
    headers: {
      ...(await upstream.headers()),
      'content-type': request.headers['content-type'] ?? 'application/json',
    },
    body: request.body === '' ? null : request.body,
  });
  return { status: response.statusCode, body: await response.body.text() };
}
