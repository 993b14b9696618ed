import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { exportSpans, type Span, type Spans } from './span-exporter.ts';

interface Received {
  readonly path: string | undefined;
  readonly body: unknown;
  readonly authorization?: string | undefined;
}

let collector: Server;
let received: Received[];
let answer: number;
let warnings: number;
let registry: Registry;
let spans: Spans;

const span: Span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentSpanId: 'b7ad6b7169203331',
  name: 'flow-advance',
  kind: 'consumer',
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_012,
  attributes: { 'millrace.verdict': 'retry' },
  failure: 'no answer came',
};

beforeEach(async () => {
  received = [];
  answer = 200;
  warnings = 0;
  collector = createServer((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      const { authorization } = request.headers;
      received.push({ path: request.url, body: JSON.parse(body) as unknown, authorization });
      response.writeHead(answer).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  spans = open();
});

function open(): Spans {
  const { port } = collector.address() as AddressInfo;
  return exportSpans({
    endpoint: `http://127.0.0.1:${port}/`,
    ...{ name: 'flow-advance', version: '1.2.3', instance: 'pod-1' },
    registry: (registry = new Registry()),
    logger: { warn: () => (warnings += 1) },
  });
}

afterEach(async () => {
  vi.unstubAllEnvs();
  await spans.close();
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));
});

const lost = async () => (await registry.getMetricsAsJSON())[0]?.values[0]?.value;

it('sends spans as OTLP has them in JSON', async () => {
  spans.add(span);
  await spans.close();
  const said = (key: string, value: string) => ({ key, value: { stringValue: value } });
  expect(received.map(({ path }) => path)).toEqual(['/v1/traces']);
  expect(received[0]?.body).toMatchObject({
    resourceSpans: [
      {
        resource: {
          attributes: [
            said('service.namespace', 'millrace'),
            said('service.name', 'flow-advance'),
            said('service.version', '1.2.3'),
            said('service.instance.id', 'pod-1'),
          ],
        },
        scopeSpans: [
          {
            scope: { name: 'millrace', version: '1.2.3' },
            spans: [
              {
                traceId: span.traceId,
                spanId: span.spanId,
                parentSpanId: span.parentSpanId,
                name: 'flow-advance',
                kind: 5,
                // Sampled, and its parent is known to be in another process.
                flags: 0x301,
                startTimeUnixNano: '1700000000000250000',
                endTimeUnixNano: '1700000000012000000',
                attributes: [said('millrace.verdict', 'retry')],
                status: { code: 2, message: 'no answer came' },
              },
            ],
          },
        ],
      },
    ],
  });
});

it('sends nothing when there is nothing', async () => {
  await spans.close();
  expect(received).toEqual([]);
});

it('sends a full batch at once', async () => {
  for (let index = 0; index < 512; index += 1) spans.add(span);
  await expect.poll(() => received).toHaveLength(1);
});

it('drops and counts what the collector does not take, and warns of it once (span-1)', async () => {
  answer = 400;
  for (let index = 0; index < 512; index += 1) spans.add(span);
  await expect.poll(lost).toBe(512);
  spans.add(span);
  await spans.close();
  expect(await lost()).toBe(513);
  expect(warnings).toBe(1);
});

it('holds a bounded number of them (span-2)', async () => {
  for (let index = 0; index < 10_000; index += 1) spans.add(span);
  expect(await lost()).toBe(10_000 - 2_048);
  await spans.close();
  expect(received).toHaveLength(4);
  expect(await lost()).toBe(10_000 - 2_048);
});

it('is named and described as the environment says', async () => {
  vi.stubEnv('OTEL_SERVICE_NAME', 'batch');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment=night');
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer%20key');
  const named = open();
  named.add(span);
  await named.close();
  const [{ body, authorization } = {}] = received;
  expect(JSON.stringify(body)).toContain('{"key":"service.name","value":{"stringValue":"batch"}}');
  expect(JSON.stringify(body)).toContain('"night"');
  expect(authorization).toBe('Bearer key');
});
