/** Serves the sandbox's API on a port of this machine, for kubectl and all other clients. */
import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FrontOptions } from './front.ts';
import type { OwnCertificate } from '#shared/domain/own-certificate.ts';

// Loaded lazily: an import of node:http evaluates all its exports, including a WebSocket client of
// 14 MB.
const http = process.getBuiltinModule('node:http');

export interface ListenOptions extends FrontOptions {
  /** Absent: plain HTTP, over which kubectl sends no token. */
  readonly certificate?: OwnCertificate;
  /** An address of the loopback interface. Requests for another host are refused. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface Listening {
  /** Without a slash at the end. */
  readonly url: string;
  /** Ends watches, then connections. */
  close(): Promise<void>;
}

/** About as often as a real API server does. */
const bookmarkMs = 60_000;

/** Rejects with the system's error when the port is in use (`code` EADDRINUSE). */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, api, certificate } = options;
  // Loaded only by processes that listen. A simulation never listens, and starts many processes.
  const { HttpFront } = await import('./front.ts');
  const front = new HttpFront(options);
  const server = serverWith(certificate, (request, response) => {
    void front.answer(request, response);
  });
  await listening(server, host, port);
  const bookmarks = setInterval(() => api.sendBookmarks(), bookmarkMs).unref();
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://${hostOf(server.address() as AddressInfo)}`,
    close: async () => {
      clearInterval(bookmarks);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      front.endStreams();
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 100).unref();
      await closed;
    },
  };
}

function serverWith(certificate: OwnCertificate | undefined, listener: RequestListener): Server {
  const options: ServerOptions = { keepAliveTimeout: 90_000, requestTimeout: 0 };
  if (certificate === undefined) return http.createServer(options, listener);
  const https = process.getBuiltinModule('node:https');
  return https.createServer({ ...options, ...certificate }, listener);
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function hostOf({ address, family, port }: AddressInfo): string {
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
