/** The dispatcher over a real Redis and HTTP, with a function that fails for most of its items. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createHttpDelivery, type HttpDelivery } from '#functions/dispatcher/deliver-http.ts';
import { createDispatcherMetrics } from '#functions/dispatcher/dispatcher-metrics.ts';
import { createDispatcher } from '#functions/dispatcher/dispatcher.ts';
import { workItem } from '#functions/dispatcher/testing/work-item.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';

const name = 'flow-advance';
const maxParked = 300;
const workers = 8;
/** Share of the items that are retried for ever. */
const failing = 500;
const url = inject('redisUrl');

describe.skipIf(url === undefined)('1,000 items that always fail', () => {
  let queue: WorkQueue;
  let server: Server;
  let delivery: HttpDelivery;
  let running: Promise<void>;
  const stop = new AbortController();
  const deliveries = new Map<string, number>();

  beforeAll(async () => {
    server = createServer((request, response) => {
      const item = String(request.headers['ce-name']);
      deliveries.set(item, (deliveries.get(item) ?? 0) + 1);
      response
        .writeHead(item.startsWith('good') ? 204 : item.startsWith('wrong') ? 422 : 500)
        .end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const urls = new Map([[name, new URL(`http://127.0.0.1:${port}`)]]);
    queue = createBullmqQueue({
      url: url ?? '',
      log: silentLog,
      prefix: `{${randomUUID()}}`,
      maxParked,
    });
    delivery = createHttpDelivery({ urls, clock: systemClock });
    running = createDispatcher({
      queue,
      deliver: delivery.deliver,
      concurrency: { [name]: workers },
      clock: systemClock,
      random: Math.random,
      logger: pino({ level: 'silent' }),
      metrics: createDispatcherMetrics(new Registry()),
    }).run(stop.signal);
  });
  afterAll(async () => {
    stop.abort();
    await running;
    await Promise.all([queue.close(), delivery.close()]);
    server.closeAllConnections();
    server.close();
  });

  it('#34 are parked within a bound or wait, and good ones go past them', async () => {
    const items = Array.from({ length: failing }, (_, index) => [
      workItem(`wrong-${index}`),
      workItem(`failing-${index}`),
    ]).flat();
    await queue.add(items);
    await expect.poll(() => deliveries.size).toBe(items.length);
    const total = () => [...deliveries.values()].reduce((sum, count) => sum + count, 0);
    const wentFirst: number[] = [];
    for (let index = 0; index < 50; index += 1) {
      const before = total();
      await queue.add([workItem(`good-${index}`)]);
      await expect.poll(() => deliveries.has(`good-${index}`), { interval: 5 }).toBe(true);
      wentFirst.push(total() - before);
    }
    // Items that are due at the same time are ahead in the queue, each at most once.
    expect(Math.max(...wentFirst)).toBeLessThanOrEqual(failing + workers + 1);
    const { parked, waiting, delayed, running: busy } = await queue.depth(name);
    expect(parked).toBeLessThanOrEqual(maxParked);
    expect(parked).toBeGreaterThan(0);
    expect(parked + waiting + delayed + busy).toBeLessThanOrEqual(maxParked + failing);
    expect(
      [...deliveries]
        .filter(([item]) => item.startsWith('wrong'))
        .every(([, count]) => count === 1),
    ).toBe(true);
  });
});
