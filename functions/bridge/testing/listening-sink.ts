/** A sink on loopback that answers as a test says, and records what it receives. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { readHttpEvent } from '#shared/events/http-binding.ts';
import type { createOwnCertificate } from '#shared/domain/own-certificate.ts';

export interface ReceivedEvent {
  /** The event as functions parse it. */
  readonly event: CloudEvent;
  readonly request: IncomingMessage;
  readonly body: string;
}

export interface ListeningSink {
  readonly url: URL;
  /** In the order of arrival. */
  readonly received: readonly ReceivedEvent[];
}

/** A status, now or later. `never`: no answer. `gone`: the connection is closed. */
export type Answer = (received: ReceivedEvent) => number | Promise<number> | 'never' | 'gone';

/** A sink that is closed at the end of the test. */
export async function listeningSink(
  answer: Answer,
  pair?: ReturnType<typeof createOwnCertificate>,
): Promise<ListeningSink> {
  const { close, ...sink } = await openSink(answer, pair);
  onTestFinished(close);
  return sink;
}

export async function openSink(
  answer: Answer,
  pair?: ReturnType<typeof createOwnCertificate>,
): Promise<ListeningSink & { readonly close: () => void }> {
  const received: ReceivedEvent[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const event = readHttpEvent(request.rawHeaders, body);
      const one = { event, request, body: body.toString() };
      received.push(one);
      const status = answer(one);
      if (status === 'never') return;
      if (status === 'gone') {
        request.socket.destroy();
        return;
      }
      void Promise.resolve(status).then((code) => response.writeHead(code).end('an answer'));
    });
  };
  const server =
    pair === undefined ? createServer(listener) : createSecureServer({ ...pair }, listener);
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const scheme = pair === undefined ? 'http' : 'https';
  return { url: new URL(`${scheme}://127.0.0.1:${port}/millrace/millrace`), received, close };
}
