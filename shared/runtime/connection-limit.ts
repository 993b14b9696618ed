import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * At most `limit` connections. One more closes the oldest that has nothing under way: first among
 * those over which no event was ever taken, then among the idle ones of senders. Turning the new one
 * away instead would let whoever opens enough of them keep out deliveries, and the probes with them.
 */
export function limitConnections(server: Server, limit: number, onClosed: () => void): void {
  const strangers = new Set<Socket>();
  const senders = new Set<Socket>();
  const requests = new Map<Socket, IncomingMessage>();
  const forget = (socket: Socket): void => {
    for (const known of [strangers, senders, requests]) known.delete(socket);
  };
  const oldestSpare = (): Socket | undefined => {
    for (const sockets of [strangers, senders]) {
      for (const socket of sockets) if (requests.get(socket)?.complete !== true) return socket;
    }
    return undefined;
  };
  server.on('connection', (socket) => {
    const isFull = strangers.size + senders.size >= limit;
    const spare = isFull ? oldestSpare() : undefined;
    strangers.add(socket);
    socket.once('close', () => forget(socket));
    if (!isFull) return;
    (spare ?? socket).destroy();
    onClosed();
  });
  server.on('request', (request, response: ServerResponse) => {
    const { socket } = request;
    requests.set(socket, request);
    response.once('close', () => {
      requests.delete(socket);
      const isTaken = request.method === 'POST' && response.statusCode < 300;
      if (isTaken && strangers.delete(socket)) senders.add(socket);
    });
  });
}
