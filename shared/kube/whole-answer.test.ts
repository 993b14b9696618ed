import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type AnswerHead, AnswerTimeout, wholeAnswer } from './whole-answer.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let dispatcher: Agent;
let serve: Serve;
let seen: IncomingMessage[];

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push(request);
    serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  dispatcher = new Agent({ connections: 1, pipelining: 1 });
});

afterEach(async () => {
  await dispatcher.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function ask(options: { timeoutMs?: number; signal?: AbortSignal; enoughBytes?: number } = {}) {
  const { port } = server.address() as AddressInfo;
  const heads: AnswerHead[] = [];
  const answer = wholeAnswer({
    dispatcher,
    request: { origin: `http://127.0.0.1:${port}`, path: '/x', method: 'GET' },
    timeoutMs: options.timeoutMs ?? 10_000,
    signal: options.signal,
    ...(options.enoughBytes === undefined ? {} : { enoughBytes: options.enoughBytes }),
    onHead: (head) => heads.push(head),
  });
  return { answer, heads };
}

it('puts the pieces together, also where a character is cut', async () => {
  const bytes = Buffer.from('{"name":"größer"}');
  const cut = bytes.indexOf(0xc3) + 1;
  serve = (_, response) => {
    response.write(bytes.subarray(0, cut));
    setTimeout(() => response.end(bytes.subarray(cut)), 20);
  };
  const { answer, heads } = ask();
  expect(await answer).toMatchObject({ statusCode: 200, text: '{"name":"größer"}' });
  expect(heads).toHaveLength(1);
});

it('takes no informational response for the answer', async () => {
  serve = (_, response) => {
    response.writeEarlyHints({ link: '</x>; rel=preload' });
    response.writeHead(201, { 'x-kind': 'final' });
    response.end('made');
  };
  const { answer, heads } = ask();
  expect(await answer).toMatchObject({ statusCode: 201, text: 'made' });
  expect(heads.map(({ statusCode }) => statusCode)).toEqual([201]);
});

it('has an empty text where there is no body', async () => {
  serve = (_, response) => response.writeHead(204).end();
  expect(await ask().answer).toMatchObject({ statusCode: 204, text: '' });
});

it('is given up when the last byte does not come in time, and its connection closed', async () => {
  const closed = new Promise((resolve) => {
    serve = (request, response) => {
      request.socket.once('close', resolve);
      response.write('a part');
    };
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { answer, heads } = ask({ timeoutMs: 50 });
  const refused = expect(answer).rejects.toBeInstanceOf(AnswerTimeout);
  // The first byte may take any time on a busy machine.
  while (heads.length === 0) await new Promise((resolve) => void setImmediate(resolve));
  vi.advanceTimersByTime(50);
  await refused;
  expect(heads).toHaveLength(1);
  await closed;
});

it('rejects with the reason of an abort, and closes its connection', async () => {
  const controller = new AbortController();
  const reason = new Error('stopped');
  const closed = new Promise((resolve) => {
    serve = (request) => {
      request.socket.once('close', resolve);
      controller.abort(reason);
    };
  });
  await expect(ask({ signal: controller.signal }).answer).rejects.toBe(reason);
  await closed;
});

it('is not sent when it was aborted before, or while it waited for a connection', async () => {
  const reason = new Error('stopped');
  await expect(ask({ signal: AbortSignal.abort(reason) }).answer).rejects.toBe(reason);
  let finish = (): void => undefined;
  const first = new Promise<void>((resolve) => {
    serve = (_, response) => {
      finish = () => response.end('first');
      resolve();
    };
  });
  const { answer } = ask();
  await first;
  const controller = new AbortController();
  const second = ask({ signal: controller.signal });
  controller.abort(reason);
  await expect(second.answer).rejects.toBe(reason);
  finish();
  expect((await answer).text).toBe('first');
  serve = (_, response) => response.end('third');
  expect((await ask().answer).text).toBe('third');
  expect(seen).toHaveLength(2);
});

it('rejects with what broke the connection, whether or not the answer had begun', async () => {
  serve = (request) => request.socket.destroy();
  await expect(ask().answer).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  serve = (request, response) => {
    response.write('a part', () => request.socket.destroy());
  };
  await expect(ask().answer).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
});

it('waits for no more of a body than is enough', async () => {
  serve = (_, response) => {
    response.write('x'.repeat(1_000));
  };
  const { answer } = ask({ enoughBytes: 1_000 });
  expect(await answer).toMatchObject({ statusCode: 200, text: 'x'.repeat(1_000) });
});

it('takes all of a body that is shorter than what is enough', async () => {
  serve = (_, response) => {
    response.write('x'.repeat(998));
    setTimeout(() => response.end('y'), 20);
  };
  const { answer } = ask({ enoughBytes: 1_000 });
  expect((await answer).text).toBe(`${'x'.repeat(998)}y`);
});
