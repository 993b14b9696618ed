import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { limitConnections } from './connection-limit.ts';

let server: Server;
let closed = 0;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** Answers 204 at once, but a path of /later only on request. */
async function serve(limit: number) {
  const waiting: (() => void)[] = [];
  closed = 0;
  server = createServer((request, response) => {
    const answer = () => response.writeHead(204).end();
    request.resume();
    if (request.url === '/later') waiting.push(answer);
    else answer();
  });
  limitConnections(server, limit, () => (closed += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { waiting, answer: () => waiting.forEach((each) => each()) };
}

async function open(text = ''): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  if (text !== '') socket.write(text);
  return socket;
}
const answered = (socket: Socket) => new Promise((resolve) => socket.once('data', resolve));
const post = (path = '/') => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`;

async function sender(): Promise<Socket> {
  const socket = await open(post());
  await answered(socket);
  return socket;
}

it('closes the oldest connection that brought nothing for a new one', async () => {
  await serve(2);
  const [first, second] = [await open(), await open('POST / HTTP/1.1\r\n')];
  const third = await open(post());
  await answered(third);
  await expect.poll(() => first.closed).toBe(true);
  expect([second.closed, third.closed, closed]).toEqual([false, false, 1]);
});

it('keeps the connections of senders rather than those of strangers', async () => {
  await serve(2);
  const known = await sender();
  const stranger = await open();
  await sender();
  await expect.poll(() => stranger.closed).toBe(true);
  expect(known.closed).toBe(false);
});

it('lets an idle sender go when there are only senders', async () => {
  await serve(2);
  const [first, second] = [await sender(), await sender()];
  await sender();
  await expect.poll(() => first.closed).toBe(true);
  expect(second.closed).toBe(false);
});

it('never closes one whose request is being worked on', async () => {
  const { answer, waiting } = await serve(1);
  const working = await open(post('/later'));
  await expect.poll(() => waiting).toHaveLength(1);
  const answer204 = answered(working);
  const turnedAway = await open();
  await expect.poll(() => turnedAway.closed).toBe(true);
  answer();
  expect(String(await answer204)).toMatch(/^HTTP\/1\.1 204/);
});
