import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HTTP, type CloudEvent as SdkEvent } from 'cloudevents';
import { afterEach, describe, expect, it } from 'vitest';
import type { Delivery } from './deliver.ts';
import { readClaim, requireSignature } from '#shared/events/delivery-signature.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { resources } from '#shared/domain/resources.ts';
import { createHttpDelivery, type HttpDelivery } from './deliver-http.ts';
import { workItem } from './testing/work-item.ts';

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;
const never = new AbortController().signal;
let server: Server | undefined;
let delivery: HttpDelivery | undefined;
const decided = new Map([['flow-advance', [resources.JobFlow]]]);

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await delivery?.close();
});

async function serve(handler: Handler): Promise<URL> {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handler(request, Buffer.concat(chunks).toString(), response));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

function deliverTo(
  url: URL,
  item = workItem('a'),
  signal = never,
  timeoutMs = 5_000,
): Promise<Delivery> {
  const urls = new Map([['flow-advance', url]]);
  delivery ??= createHttpDelivery({ urls, decided, clock: systemClock, timeoutMs });
  return delivery.deliver(item, signal);
}
afterEach(() => (delivery = undefined));

it('posts a binary CloudEvent that names the object and its cause', async () => {
  let received: SdkEvent<unknown> | undefined;
  let accepted: string | undefined;
  let method: string | undefined;
  const url = await serve((request, body, response) => {
    ({ method } = request);
    accepted = request.headers.accept;
    received = HTTP.toEvent({ headers: request.headers, body }) as SdkEvent<unknown>;
    response.writeHead(204).end();
  });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await deliverTo(url, workItem('a', { traceparent }));
  expect(method).toBe('POST');
  expect(accepted).toBe('application/problem+json');
  expect(received).toMatchObject({
    type: 'dev.millrace.jobflow.due.v1',
    source: '/millrace/dispatcher/flow-advance',
    subject: '/apis/api.practice.com/v1alpha1/namespaces/default/jobflows/a',
    kind: 'JobFlow',
    apiversion: 'api.practice.com/v1alpha1',
    namespace: 'default',
    name: 'a',
    uid: 'u-a',
    causationid: 'u-a.1',
    traceparent,
    data: { name: 'a', uid: 'u-a' },
  });
});

it('signs what it sends, with the keys of that moment and all of it in the body', async () => {
  const received: { headers: IncomingMessage['headers']; body: string }[] = [];
  const url = await serve((request, body, response) => {
    received.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
  let current = [Buffer.alloc(32, 1)];
  const keys = { current: () => current, close: () => undefined };
  const urls = new Map([['flow-advance', url]]);
  delivery = createHttpDelivery({ urls, clock: systemClock, keys });
  await delivery.deliver(workItem('a'), never);
  current = [Buffer.alloc(32, 2)];
  await delivery.deliver(workItem('a'), never);
  received.forEach(({ headers, body }, index) => {
    const claim = readClaim(headers, systemClock.now());
    requireSignature([Buffer.alloc(32, index + 1)], claim, Buffer.from(body));
    const event = HTTP.toEvent({ headers, body }) as SdkEvent<unknown>;
    expect(event).toMatchObject({ id: claim.id, name: 'a', uid: 'u-a', data: { name: 'a' } });
    expect(Object.keys(headers).filter((name) => name.startsWith('ce-'))).toEqual([]);
  });
  expect(received).toHaveLength(2);
});

it('repeats the id with the delivery, and changes it with the cause', async () => {
  const ids: unknown[] = [];
  const url = await serve((request, _body, response) => {
    ids.push(request.headers['ce-id']);
    response.writeHead(204).end();
  });
  await deliverTo(url);
  await deliverTo(url);
  await deliverTo(url, workItem('a', { cause: 'u-a.2' as never }));
  expect(ids[0]).toBe(ids[1]);
  expect(ids[0]).toMatch(/^[0-9a-f]{16}\.u-a\.1$/);
  expect(ids[2]).toMatch(/^[0-9a-f]{16}\.u-a\.2$/);
});

describe('what the function answers', () => {
  it('becomes the verdict, with the detail of its problem', async () => {
    const url = await serve((_request, _body, response) =>
      response
        .writeHead(422, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ title: 'MR_EVENT_UNROUTABLE', detail: 'not mine' })),
    );
    expect(await deliverTo(url)).toEqual({ kind: 'parked', detail: '422: not mine' });
  });
  it('may be text of a proxy', async () => {
    const url = await serve((_request, _body, response) =>
      response.writeHead(503, { 'retry-after': '2' }).end('no healthy upstream\n'),
    );
    expect(await deliverTo(url)).toEqual({
      kind: 'later',
      afterMs: 2_000,
      detail: '503: no healthy upstream',
    });
  });
  it('is kept short', async () => {
    const url = await serve((_request, _body, response) =>
      response.writeHead(500).end('x'.repeat(200_000)),
    );
    const verdict = await deliverTo(url);
    expect('detail' in verdict ? verdict.detail.length : 0).toBeLessThan(4_200);
  });
});

describe('an answer that is long', () => {
  it('is read to its end, so that the connection serves the next delivery', async () => {
    const url = await serve((_request, _body, response) =>
      response.writeHead(500).end('x'.repeat(200_000)),
    );
    let connections = 0;
    server?.on('connection', () => (connections += 1));
    for (let n = 0; n < 5; n += 1) await deliverTo(url);
    // A connection may become free only after the next delivery has looked for one.
    expect(connections).toBeLessThan(5);
  });
  it('is not waited for when it goes on and on', async () => {
    const url = await serve((_request, _body, response) => {
      response.writeHead(422).write('x'.repeat(300_000));
    });
    expect(await deliverTo(url)).toMatchObject({ kind: 'parked' });
  });
});

describe('a function that does not answer', () => {
  it('is unreachable when its port is closed', async () => {
    const url = await serve(() => undefined);
    await new Promise((resolve) => server?.close(resolve));
    expect(await deliverTo(url)).toMatchObject({
      kind: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED') as string,
    });
  });
  it('is unreachable when its name has no address', async () => {
    expect(await deliverTo(new URL('http://flow-advance.invalid/'))).toMatchObject({
      kind: 'unreachable',
    });
  });
  it('is tried again when the connection breaks', async () => {
    const url = await serve((request) => request.socket.destroy());
    expect(await deliverTo(url)).toMatchObject({ kind: 'retry' });
  });
  it('is tried again when the answer breaks off', async () => {
    const url = await serve((request, _body, response) => {
      response.writeHead(500, { 'content-length': '100' }).write('half');
      setTimeout(() => request.socket.destroy(), 20);
    });
    expect(await deliverTo(url)).toMatchObject({ kind: 'retry' });
  });
  it('is given up after the time for one delivery', async () => {
    const url = await serve(() => undefined);
    expect(await deliverTo(url, workItem('a'), never, 80)).toEqual({
      kind: 'retry',
      detail: 'the function was not reached: no answer within 80 ms',
    });
  });
});

it('uses no attempt when the delivery is called off', async () => {
  const url = await serve(() => undefined);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 30);
  expect(await deliverTo(url, workItem('a'), stop.signal)).toEqual({
    kind: 'later',
    detail: 'the delivery was called off',
  });
});

it('parks an item whose function has no URL', async () => {
  const url = await serve(() => undefined);
  expect(await deliverTo(url, workItem('a', { function: 'other' }))).toEqual({
    kind: 'parked',
    detail: 'no URL is configured for function other',
  });
});
