import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Allows at most `limit` connections. One more closes the oldest one without a running request: first
 * among those that never delivered an event, then among idle senders. Refusing the new connection
 * instead would let a client with many connections block deliveries and probes.
 */
export function limitConnections(server: Server, limit: number, onClosed: () => void): void {
  const strangers = new Map<string, Socket>();
  const senders = new Map<string, Socket>();
  const requests = new Map<string, IncomingMessage>();
  const forget = (peer: string): void => {
    for (const known of [strangers, senders, requests]) known.delete(peer);
  };
  const oldestSpare = (): Socket | undefined => {
    for (const sockets of [strangers, senders]) {
      for (const [peer, socket] of sockets) {
        if (requests.get(peer)?.complete !== true) return socket;
      }
    }
    return undefined;
  };
  server.on('connection', (socket) => {
    const peer = peerOf(socket);
    const isFull = strangers.size + senders.size >= limit;
    const spare = isFull ? oldestSpare() : undefined;
    strangers.set(peer, socket);
    socket.once('close', () => forget(peer));
    if (!isFull) return;
    (spare ?? socket).destroy();
    onClosed();
  });
  server.on('request', (request, response: ServerResponse) => {
    const peer = peerOf(request.socket);
    requests.set(peer, request);
    response.once('close', () => {
      requests.delete(peer);
      const isTaken = request.method === 'POST' && response.statusCode < 300;
      const stranger = strangers.get(peer);
      if (!isTaken || stranger === undefined) return;
      strangers.delete(peer);
      senders.set(peer, stranger);
    });
  });
}

/** Equal for a connection and the TLS socket over it. No two open connections share it. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`;
}
