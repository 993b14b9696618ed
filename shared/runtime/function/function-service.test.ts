import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { keepLoopBusy } from '../testing/busy-loop.ts';
import { dueHeaders, serveFunction, type ServedFunction } from '../testing/served-function.ts';

const done: Verdict = { kind: 'done' };
let served: ServedFunction | undefined;
afterEach(async () => {
  await served?.service.drain();
  served = undefined;
});

async function problemOf(response: Response): Promise<unknown> {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  return response.json();
}
const bodyHeaders = { ...dueHeaders('a'), 'content-type': 'application/json' };
const without = (header: string, headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== header));
/** A process that does not answer until it is released. */
function holding() {
  const { promise, resolve } = Promise.withResolvers<Verdict>();
  const items: WorkItem[] = [];
  const process = (item: WorkItem): Promise<Verdict> => {
    items.push(item);
    return promise;
  };
  return { process, items, release: () => resolve(done) };
}
/** Returns everything that the server sends on a raw connection until it closes it. */
async function exchange(url: string, write: (socket: Socket) => void): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.once('connect', () => write(socket));
  await closed;
  return Buffer.concat(chunks).toString();
}

describe('an event', () => {
  it('reaches the function as a work item, binary and structured alike', async () => {
    const items: WorkItem[] = [];
    served = await serveFunction(async (item) => {
      items.push(item);
      return done;
    });
    await served.send('a');
    const attributes = Object.entries(dueHeaders('a')).map(([name, value]) => [
      name.slice(3),
      value,
    ]);
    await served.send('a', {
      headers: { 'content-type': 'application/cloudevents+json; charset=UTF-8' },
      body: JSON.stringify(Object.fromEntries(attributes)),
    });
    expect(items).toHaveLength(2);
    expect(items[0]).toEqual(items[1]);
    expect(items[0]).toEqual({
      function: 'flow-advance',
      key: {
        apiVersion: 'api.practice.com/v1alpha1',
        kind: 'JobFlow',
        namespace: 'default',
        name: 'a',
        uid: 'u-a',
      },
      cause: 'u-job.7',
    });
  });

  it('that is malformed is answered 400 with the reason', async () => {
    served = await serveFunction(async () => done);
    const headers = without('ce-id', dueHeaders('a'));
    const response = await served.send('a', { headers });
    expect(response.status).toBe(400);
    expect(await problemOf(response)).toEqual({
      title: 'MR_EVENT_MALFORMED',
      status: 400,
      detail: 'not a valid CloudEvent: id is missing',
    });
  });

  it('that is no event is answered 400', async () => {
    served = await serveFunction(async () => done);
    const headers = { 'content-type': 'application/json' };
    expect((await served.send('a', { headers, body: '{}' })).status).toBe(400);
  });

  it('in a batch is answered 415 with the reason', async () => {
    served = await serveFunction(async () => done);
    const headers = { 'content-type': 'application/cloudevents-batch+json' };
    const response = await served.send('a', { headers, body: '[]' });
    expect(response.status).toBe(415);
    expect(await problemOf(response)).toMatchObject({
      detail: expect.stringContaining('batches are not taken') as string,
    });
  });

  it('of a type for others is answered 422', async () => {
    served = await serveFunction(async () => done);
    const headers = { ...dueHeaders('a'), 'ce-type': 'com.github.push' };
    const response = await served.send('a', { headers });
    expect(response.status).toBe(422);
    expect(await problemOf(response)).toMatchObject({ title: 'MR_EVENT_UNROUTABLE' });
  });

  it('whose object cannot be read is answered as the error demands', async () => {
    const busy = new MillraceError(
      'MR_API_RETRYABLE',
      { verb: 'get', path: '/', status: 429, reason: 'TooManyRequests', detail: 'busy' },
      { retryAfterMs: 2_000 },
    );
    const nothing = () => Promise.resolve([]);
    const reader = {
      get: () => Promise.reject(busy),
      list: nothing,
      listByOwner: nothing,
      listByOwners: nothing,
    };
    served = await serveFunction(async () => done, {}, reader);
    const headers = without('ce-uid', dueHeaders('a'));
    const response = await served.send('a', {
      headers: { ...headers, 'ce-type': 'dev.knative.apiserver.ref.update' },
    });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
  });
});

describe('the answer', () => {
  it.each<[Verdict, number, Record<string, string>]>([
    [{ kind: 'done' }, 204, {}],
    [{ kind: 'requeue', afterMs: 249.5 }, 202, { 'millrace-requeue-after-ms': '250' }],
    [{ kind: 'later', detail: 'moved on' }, 409, {}],
    [{ kind: 'later', afterMs: 1_200, detail: 'busy' }, 503, { 'retry-after': '2' }],
    [{ kind: 'retry', detail: 'oh' }, 500, {}],
    [{ kind: 'retry', afterMs: 15_000, detail: 'oh' }, 500, { 'retry-after': '15' }],
    [{ kind: 'parked', detail: 'MR_API_REFUSED: no' }, 422, {}],
  ])('to %j is %d', async (verdict, status, headers) => {
    served = await serveFunction(async () => verdict);
    const response = await served.send('a');
    expect(response.status).toBe(status);
    for (const [name, value] of Object.entries(headers)) {
      expect(response.headers.get(name)).toBe(value);
    }
    if ('detail' in verdict) {
      expect(await problemOf(response)).toMatchObject({ status, detail: verdict.detail });
    } else expect(await response.text()).toBe('');
  });

  it('to a function that throws all the same is 500, and the next event is served', async () => {
    let runs = 0;
    served = await serveFunction(async () => {
      runs += 1;
      if (runs === 1) throw new TypeError('fault of the program');
      return done;
    });
    expect((await served.send('a')).status).toBe(500);
    expect((await served.send('a')).status).toBe(204);
  });
});

describe('under load', () => {
  it('more events than the limit are answered 503, while probes and metrics answer', async () => {
    const { process, items, release } = holding();
    served = await serveFunction(process, { maxInFlight: 2 });
    const first = [served.send('a'), served.send('b')];
    await vi.waitFor(() => expect(items).toHaveLength(2));
    const turnedAway = await served.send('c');
    expect(turnedAway.status).toBe(503);
    expect(turnedAway.headers.get('retry-after')).toBe('1');
    for (const path of ['/health/liveness', '/health/readiness', '/metrics']) {
      expect((await fetch(served.url + path)).status).toBe(200);
    }
    expect(await served.registry.metrics()).toContain('millrace_http_shed_total{reason="full"} 1');
    expect(await served.registry.metrics()).toContain('millrace_http_requests_in_flight 2');
    release();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([204, 204]);
    expect((await served.send('c')).status).toBe(204);
  });

  it('a second event for an object that is being worked on is answered 409', async () => {
    const { process, items, release } = holding();
    served = await serveFunction(process);
    const first = served.send('a');
    await vi.waitFor(() => expect(items).toHaveLength(1));
    expect((await served.send('a')).status).toBe(409);
    release();
    expect((await first).status).toBe(204);
    expect((await served.send('a')).status).toBe(204);
  });

  it('a busy event loop sheds events, never probes and metrics', async () => {
    const limits = { maxEventLoopUtilization: 0.5, maxEventLoopDelayMs: 0, pressureSampleMs: 40 };
    served = await serveFunction(async () => done, limits);
    keepLoopBusy(1_500, 15);
    let shed: Response | undefined;
    await vi.waitFor(async () => {
      shed = await served?.send('a');
      expect(shed?.status).toBe(503);
    }, 3_000);
    expect(shed?.headers.get('retry-after')).toBe('1');
    for (const path of ['/health/liveness', '/health/readiness', '/metrics']) {
      expect((await fetch(served.url + path)).status).toBe(200);
    }
    await vi.waitFor(async () => expect((await served?.send('a'))?.status).toBe(204), 5_000);
  });

  it('bodies that come byte by byte take no place, and end within their time', async () => {
    served = await serveFunction(async () => done, { maxInFlight: 1, bodyTimeoutMs: 400 });
    const { url } = served;
    const slow = Array.from({ length: 8 }, () =>
      exchange(url, (socket) => {
        socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nx`);
        const drip = setInterval(() => socket.write('x'), 50);
        socket.once('close', () => clearInterval(drip));
      }),
    );
    await sleep(100);
    expect((await served.send('a')).status).toBe(204);
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408/);
  });

  it('of more bodies than are read at once the oldest gives way', async () => {
    served = await serveFunction(async () => done, { maxBodies: 2 });
    const { url } = served;
    const half = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nx';
    const ended: number[] = [];
    const opened: Socket[] = [];
    const slow = [0, 1].map(async (index) => {
      await sleep(100 * index);
      await exchange(url, (socket) => opened.push(socket) && socket.write(half));
      ended.push(index);
    });
    await sleep(250);
    expect((await served.send('a', { body: '' })).status).toBe(204);
    expect((await served.send('a', { headers: bodyHeaders, body: '{}' })).status).toBe(204);
    await vi.waitFor(() => expect(ended).toEqual([0]));
    for (const socket of opened) socket.destroy();
    await Promise.all(slow);
  });

  it('gives the place back when a sender leaves in the middle of its body', async () => {
    served = await serveFunction(async () => done, { maxInFlight: 1 });
    const { url } = served;
    await exchange(url, (socket) => {
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf`);
      setTimeout(() => socket.destroy(), 50);
    });
    await vi.waitFor(async () => expect((await served?.send('a'))?.status).toBe(204));
  });

  it('calls the work off when the sender leaves before the answer', async () => {
    let abandoned = false;
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    served = await serveFunction((_item, signal) => {
      signal?.addEventListener('abort', () => (abandoned = true));
      return promise;
    });
    const stop = new AbortController();
    const sent = served.send('a', { signal: stop.signal }).catch(() => undefined);
    await vi.waitFor(async () => {
      expect(await served?.registry.metrics()).toContain('millrace_http_requests_in_flight 1');
    });
    stop.abort();
    await sent;
    await vi.waitFor(() => expect(abandoned).toBe(true));
    resolve(done);
  });
});

describe('limits', () => {
  it('a body of more than 1 MiB is answered 413', async () => {
    served = await serveFunction(async () => done);
    const headers = { ...dueHeaders('a'), 'content-type': 'application/json' };
    const mebibyte = `{}${' '.repeat(1024 * 1024 - 2)}`;
    expect((await served.send('a', { headers, body: mebibyte })).status).toBe(204);
    expect((await served.send('a', { headers, body: `${mebibyte} ` })).status).toBe(413);
  });

  it('headers of more than 16 KiB are answered 431', async () => {
    served = await serveFunction(async () => done);
    const headers = { ...dueHeaders('a'), 'x-long': 'x'.repeat(17_000) };
    expect((await served.send('a', { headers })).status).toBe(431);
  });

  it('headers that trickle in are cut off', async () => {
    served = await serveFunction(async () => done, { headersTimeoutMs: 150 });
    const answer = await exchange(served.url, (socket) => {
      socket.write('POST / HTTP/1.1\r\n');
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 30);
      socket.once('close', () => clearInterval(drip));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 408/);
  });

  it('a body that trickles in is cut off', async () => {
    const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200 };
    served = await serveFunction(async () => done, limits);
    const answer = await exchange(served.url, (socket) => {
      socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 30);
      socket.once('close', () => clearInterval(drip));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 408/);
  });

  it('keeps an idle connection for longer than the API server does (90 s)', async () => {
    served = await serveFunction(async () => done);
    const { headers } = await served.send('a');
    const [, seconds] = /^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThan(90);
  });

  it('unknown paths and methods are answered 404', async () => {
    served = await serveFunction(async () => done);
    expect((await fetch(served.url)).status).toBe(404);
    expect((await fetch(`${served.url}/admin`)).status).toBe(404);
  });
});

describe('draining', () => {
  it('is not ready, takes no event, and lets what runs finish', async () => {
    const { process, items, release } = holding();
    served = await serveFunction(process);
    const { url, service } = served;
    const running = served.send('a');
    await vi.waitFor(() => expect(items).toHaveLength(1));
    const drained = service.drain();
    expect((await fetch(`${url}/health/readiness`)).status).toBe(503);
    expect((await fetch(`${url}/health/liveness`)).status).toBe(200);
    const refused = await served.send('b');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    release();
    expect((await running).status).toBe(204);
    await drained;
    await expect(fetch(`${url}/health/liveness`)).rejects.toThrow();
    served = undefined;
  });

  it('gives up after the bound', async () => {
    const { process, items } = holding();
    served = await serveFunction(process, { drainMs: 50 });
    const running = served.send('a').catch(() => 'cut off');
    await vi.waitFor(() => expect(items).toHaveLength(1));
    // The running call never ends.
    await served.service.drain();
    expect(await running).toBe('cut off');
    served = undefined;
  });
});

it('counts requests by route and status', async () => {
  served = await serveFunction(async () => done);
  await served.send('a');
  await fetch(`${served.url}/secret-${Math.random()}`);
  const text = await served.registry.metrics();
  expect(text).toContain('millrace_http_requests_total{route="/",status="204"} 1');
  expect(text).toContain('millrace_http_requests_total{route="none",status="404"} 1');
});
