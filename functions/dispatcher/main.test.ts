/** The process itself, over a real Redis and a function that this test plays. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { startMain, type ChildMain } from '#shared/runtime/testing/child-main.ts';
import { obtainOrSkip } from '#test/support/part-unavailable.ts';
import { startRedis, type Redis } from '#test/support/redis.ts';
import { workItem } from './testing/work-item.ts';

const log = { info: () => undefined, warn: () => undefined };
const main = join(import.meta.dirname, 'main.ts');
vi.setConfig({ testTimeout: 30_000 });
let child: ChildMain | undefined;
afterEach(async () => {
  child?.kill('SIGKILL');
  await child?.exit;
});

it('names every fault of the configuration at once and exits with 1', async () => {
  child = startMain(main, { REDIS_URL: 'localhost', MILLRACE_CONCURRENCY: '0' });
  const { code, stderr } = await child.exit;
  expect(code).toBe(1);
  for (const name of ['REDIS_URL', 'MILLRACE_CONCURRENCY', 'MILLRACE_FUNCTION_FLOW_ADVANCE_URL']) {
    expect(stderr).toContain(name);
  }
});

const redis = await obtainOrSkip(() => startRedis());
describe.skipIf(redis === undefined)('over Redis', () => {
  const { url } = redis ?? ({ url: '' } as Redis);
  let queue: WorkQueue;
  let functionServer: Server;
  const delivered: string[] = [];
  let answer: (name: string) => Promise<number>;

  beforeAll(async () => {
    queue = createBullmqQueue({ url, log });
    functionServer = createServer((request, response) => {
      const name = String(request.headers['ce-name']);
      delivered.push(name);
      void answer(name).then((status) => response.writeHead(status).end());
    });
    await new Promise<void>((resolve) => functionServer.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    functionServer.closeAllConnections();
    functionServer.close();
    await queue.close();
    await redis?.stop();
  });
  const start = (): ChildMain => {
    const { port } = functionServer.address() as AddressInfo;
    child = startMain(main, {
      REDIS_URL: url,
      MILLRACE_FUNCTION_FLOW_ADVANCE_URL: `http://127.0.0.1:${port}`,
      MILLRACE_HOST: '127.0.0.1',
      PORT: '0',
    });
    return child;
  };

  it('delivers what is queued and shows what became of it', async () => {
    answer = async (name) => (name === 'bad' ? 422 : 204);
    await queue.add([workItem('good'), workItem('bad')]);
    const address = await start().url;
    await expect
      .poll(async () => queue.depth('flow-advance'), { timeout: 10_000 })
      .toEqual({ waiting: 0, running: 0, delayed: 0, parked: 1 });
    expect([...delivered].sort()).toEqual(['bad', 'good']);
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(metrics).toContain(
      'millrace_deliveries_total{function="flow-advance",verdict="parked"} 1',
    );
    expect((await fetch(`${address}/health/readiness`)).status).toBe(200);
  });

  it('on SIGTERM lets the delivery under way finish, settles it and exits with 0', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    answer = () => promise;
    delivered.length = 0;
    await queue.add([workItem('slow')]);
    const running = start();
    await expect.poll(() => delivered, { timeout: 10_000 }).toEqual(['slow']);
    running.kill('SIGTERM');
    await expect
      .poll(() => running.lines.some(({ msg }) => msg === 'stopping'), { timeout: 10_000 })
      .toBe(true);
    resolve(204);
    expect(await running.exit).toMatchObject({ code: 0, stderr: '' });
    expect(await queue.depth('flow-advance')).toMatchObject({ waiting: 0, running: 0, delayed: 0 });
  });
});
