import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dueHeaders } from '#shared/runtime/testing/served-function.ts';
import { startFlowAdvance, type FlowAdvanceProcess } from '#test/support/flow-advance-process.ts';

/** Before the first slow body is ended, 5 s after it began, so that no place is free yet. */
const promptMs = 4_000;
const headers = Object.entries(dueHeaders('a')).map(([name, value]) => `${name}: ${value}\r\n`);
const opening = `POST / HTTP/1.1\r\nhost: x\r\n${headers.join('')}`;

let served: FlowAdvanceProcess;
let sockets: Socket[];
beforeEach(async () => {
  served = await startFlowAdvance();
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await served.stop();
});

/** Connections that each send this text and then nothing more. */
async function open(count: number, text: string) {
  const { hostname, port } = new URL(served.url);
  const answers: Promise<string>[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    answers.push(answerOn(socket));
    const connected = new Promise((resolve) =>
      socket.once('connect', resolve).once('close', resolve),
    );
    socket.write(text);
    // Slow enough for the backlog of connections.
    if (index % 100 === 99) await connected;
  }
  return { answers: () => Promise.all(answers) };
}

/** Everything that is received until the connection ends, or its error. */
function answerOn(socket: Socket): Promise<string> {
  const chunks: string[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(chunks.join('')));
  });
}

/** Sends bytes without end, as long as they are accepted. */
async function flood(socket: Socket, frame: (chunk: string) => string): Promise<void> {
  const chunk = frame('x'.repeat(64 * 1024));
  while (!socket.destroyed && socket.writable) {
    if (!socket.write(chunk)) await Promise.race([onDrain(socket), sleep(20)]);
  }
}
const onDrain = (socket: Socket) =>
  new Promise<void>((resolve) => socket.once('drain', resolve).once('close', resolve));

/** Status of a good delivery and of liveness. Rejects when either takes too long. */
async function others(): Promise<readonly number[]> {
  const signal = AbortSignal.timeout(promptMs);
  const answers = await Promise.all([
    fetch(served.url, { method: 'POST', headers: dueHeaders('good'), signal }),
    fetch(`${served.url}/health/liveness`, { signal }),
  ]);
  return answers.map(({ status }) => status);
}

it.each([64, 1_000])('#25 serves others while %d bodies come byte by byte', async (count) => {
  await open(count, `${opening}content-length: 100\r\n\r\nx`);
  const drip = setInterval(() => sockets.forEach((socket) => socket.write('x')), 500);
  try {
    for (let round = 0; round < 5; round += 1) expect(await others()).toEqual([204, 200]);
  } finally {
    clearInterval(drip);
  }
});

it('#25 serves others while 1,000 heads do not end', async () => {
  await open(1_000, opening);
  expect(await others()).toEqual([204, 200]);
});

it('#25 serves others among 10,000 connections, of which it keeps a bounded number', async () => {
  await open(10_000, opening);
  expect(await others()).toEqual([204, 200]);
  const closed = await served.metric('millrace_http_shed_total{reason="connections"}');
  expect(closed).toBeGreaterThan(0);
  const kept = () => sockets.filter(({ closed: isClosed }) => !isClosed).length;
  await expect.poll(kept).toBeLessThanOrEqual(1_024);
});

it('#25 ends a body that does not come with 408', async () => {
  const { answers } = await open(1, `${opening}content-length: 100\r\n\r\nx`);
  expect((await answers())[0]).toMatch(/^HTTP\/1\.1 408 /);
});

it('#25 refuses a body that is announced as 100 MB with 413, unread', async () => {
  const { answers } = await open(1, `${opening}content-length: 100000000\r\n\r\n`);
  expect((await answers())[0]).toMatch(/^HTTP\/1\.1 413 /);
});

it('#25 ends bodies without an end, and its memory stays as it was', async () => {
  const residentBytes = () => served.metric('process_resident_memory_bytes');
  await others();
  const before = await residentBytes();
  const { answers } = await open(32, `${opening}transfer-encoding: chunked\r\n\r\n`);
  const size = (64 * 1024).toString(16);
  const floods = sockets.map((socket) => flood(socket, (chunk) => `${size}\r\n${chunk}\r\n`));
  await Promise.all(floods);
  for (const answer of await answers()) {
    // Empty if the reset came before the answer.
    expect(answer).toMatch(/^(HTTP\/1\.1 413 |$)/);
  }
  expect(await others()).toEqual([204, 200]);
  expect((await residentBytes()) - before).toBeLessThan(150 * 1024 * 1024);
});
