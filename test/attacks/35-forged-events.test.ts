import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dueHeaders } from '#shared/runtime/testing/served-function.ts';
import { startFlowAdvance, type FlowAdvanceProcess } from '#test/support/flow-advance-process.ts';
import {
  newDeliveryKey,
  signedDelivery,
  type SignedDelivery,
} from '#test/support/signed-delivery.ts';

const key = newDeliveryKey();
let served: FlowAdvanceProcess;
beforeAll(async () => {
  served = await startFlowAdvance({ MILLRACE_DELIVERY_KEY: key });
});
afterAll(() => served.stop());

const send = ({ headers, body }: SignedDelivery): Promise<Response> =>
  fetch(served.url, { method: 'POST', headers, body });
const signed = (name = 'a', by = key) => signedDelivery(name, by, Date.now());

it('#35 takes what the dispatcher signed', async () => {
  expect((await send(signed())).status).toBe(204);
});

it('#35 refuses an event without a signature, and reads nothing for it', async () => {
  const before = served.api.seen({}).length;
  const response = await fetch(served.url, { method: 'POST', headers: dueHeaders('a') });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({
    title: 'MR_DELIVERY_UNAUTHENTICATED',
    detail: expect.stringContaining('it has no webhook-id') as string,
  });
  expect(served.api.seen({})).toHaveLength(before);
});

it('#35 answers 401 before a body is sent', async () => {
  const { hostname, port } = new URL(served.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', reject);
    socket.once('data', (chunk: Buffer) => {
      resolve(chunk.toString());
      socket.destroy();
    });
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n');
  });
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});

it('#35 refuses a foreign key, a changed body, id and mode', async () => {
  const own = signed();
  const forged: SignedDelivery[] = [
    signed('a', newDeliveryKey()),
    { ...own, body: own.body.replace('"name":"a"', '"name":"b"') },
    { ...own, body: `${own.body} ` },
    { ...own, headers: { ...own.headers, 'webhook-id': 'id.b' } },
    { ...own, headers: { ...own.headers, 'webhook-signature': 'v1,' } },
    { ...own, headers: { ...own.headers, 'webhook-signature': 'v1a,AAAA' } },
    { ...own, headers: { ...own.headers, ...dueHeaders('b'), 'content-type': 'application/json' } },
  ];
  for (const delivery of forged) expect((await send(delivery)).status).toBe(401);
  const count = await served.metric('millrace_http_unauthenticated_total{reason="signature"}');
  expect(count).toBe(6);
});

describe('without keys', () => {
  it('#35 a function does not start beyond this machine, unless it is configured to', async () => {
    const started = startFlowAdvance({ MILLRACE_HOST: '0.0.0.0' });
    await expect(started).rejects.toThrow(
      /MR_DELIVERY_KEY_MISSING[^]*next: set MILLRACE_DELIVERY_KEY/,
    );
    const open = await startFlowAdvance({
      MILLRACE_HOST: '0.0.0.0',
      MILLRACE_ALLOW_UNSIGNED: 'true',
    });
    await open.stop();
  });
  it('#35 a forged event names an object, and its content changes nothing', async () => {
    const open = await startFlowAdvance();
    try {
      const data = JSON.stringify({ name: 'a', spec: { flows: [] }, status: { state: 'Succeed' } });
      const headers = { ...dueHeaders('a'), 'content-type': 'application/json' };
      const response = await fetch(open.url, { method: 'POST', headers, body: data });
      expect(response.status).toBe(204);
      expect(open.api.seen({}).map(({ method }) => method)).toEqual(['GET']);
    } finally {
      await open.stop();
    }
  });
});
