import { gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dueHeaders } from '#shared/runtime/testing/served-function.ts';
import { startFlowAdvance, type FlowAdvanceProcess } from '#test/support/flow-advance-process.ts';

let served: FlowAdvanceProcess;
beforeAll(async () => {
  served = await startFlowAdvance();
});
afterAll(() => served.stop());

const structured = JSON.stringify(
  Object.fromEntries(
    Object.entries(dueHeaders('a')).map(([name, value]) => [name.slice(3), value]),
  ),
);

/** The status. The request is written by hand, because a client would correct the headers. */
function statusOf(head: readonly string[], body: string | Buffer): Promise<number> {
  const { hostname, port } = new URL(served.url);
  const lines = ['POST / HTTP/1.1', 'host: x', 'connection: close', ...head];
  const length = `content-length: ${Buffer.byteLength(body)}`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', reject);
    socket.once('data', (chunk: Buffer) => resolve(Number(chunk.toString().split(' ')[1])));
    socket.write(`${[...lines, length].join('\r\n')}\r\n\r\n`);
    socket.write(body);
  });
}
const ofType = (type: string) => statusOf([`content-type: ${type}`], structured);

describe('a content type', () => {
  it.each([
    'application/cloudevents+json',
    '\tApplication/CloudEvents+JSON \t; \tCharSet="UTF-8"\t',
    'application/cloudevents+json;charset=utf-8;',
  ])('#29 is read as its grammar says: %j', async (type) => {
    expect(await ofType(type)).toBe(204);
  });

  it.each([
    'application/cloudevents+json\u00a0',
    'application/cloudevents +json',
    'application/cloudevents\t+json',
    'application/cloudevents+json, application/json',
    'application/cloudevents+json x=y',
    'application/cloudevents+json; charset=utf-16',
    'application/cloudevents+json; charset=utf-8; charset=utf-16',
    'application/cloudevents+json; charset = utf-8',
    'application/cloudevents+json; charset="utf-8',
    'application/cloudevents+jsonx',
    'application/cloudevents+json+xml',
    'application/cloudevents-batch+json',
    'application/cloudeventsjson',
    'application/CLOUDEVENTS',
    'application',
    '/',
  ])('#29 that is another one or none is answered 415: %j', async (type) => {
    expect(await ofType(type)).toBe(415);
  });

  it('#29 that only looks like an event of its own is data of none', async () => {
    expect(await ofType('xapplication/cloudevents+json')).toBe(400);
    expect(await ofType('text/json')).toBe(400);
  });

  it('#29 given twice is refused', async () => {
    const type = 'content-type: application/cloudevents+json';
    expect(await statusOf([type, type], structured)).toBe(400);
  });
});

describe('a compressed body', () => {
  const type = 'content-type: application/cloudevents+json';
  it.each([
    'gzip',
    'GZIP',
    'deflate',
    'br',
    'zstd',
    'x-gzip',
    'identity, gzip',
    'identity,identity',
  ])('#29 is refused with 415 and not inflated: %s', async (encoding) => {
    // A megabyte of blanks, compressed to a kilobyte.
    const bomb = gzipSync(structured + ' '.repeat(1024 * 1024));
    expect(bomb.length).toBeLessThan(4_096);
    expect(await statusOf([type, `content-encoding: ${encoding}`], bomb)).toBe(415);
  });
  it('#29 that only claims not to be is no JSON', async () => {
    const encoding = 'content-encoding: identity';
    expect(await statusOf([type, encoding], gzipSync(structured))).toBe(400);
    expect(await statusOf([type, encoding], structured)).toBe(204);
  });
});
