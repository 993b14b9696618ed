/** The process itself, with a real Redis and a function that this test simulates. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { startMain, type ChildMain } from '#shared/runtime/testing/child-main.ts';
import { LoopbackApiServer } from '#test/support/loopback-api-server.ts';
import { kubeconfigFor } from '#test/support/loopback-kubeconfig.ts';
import { obtainOrSkip } from '#test/support/part-unavailable.ts';
import { startRedis, type Redis } from '#test/support/redis.ts';
import { everyFunctionAt } from './testing/every-function-at.ts';
import { workItem } from './testing/work-item.ts';

const log = { info: () => undefined, warn: () => undefined };
const clusterUid = 'a-cluster';
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

it('says that nothing names its cluster and exits with 1', async () => {
  child = startMain(main, {
    HOME: '/nonexistent',
    ...everyFunctionAt('http://127.0.0.1:1'),
    PORT: '0',
  });
  const { code, stderr } = await child.exit;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: .*MILLRACE_CLUSTER_UID is not set.* \(MR_CLUSTER_UNKNOWN\)$/m);
  expect(stderr).toMatch(/^next: set KUBECONFIG, or MILLRACE_CLUSTER_UID/m);
});

it('asks the API server which cluster it works for, and once only', async () => {
  const api = await LoopbackApiServer.start();
  const kubeSystem = '/api/v1/namespaces/kube-system';
  const metadata = { name: 'kube-system', uid: 'a-cluster', resourceVersion: '1' };
  api.on({ path: kubeSystem }, (exchange) =>
    exchange.json(200, { apiVersion: 'v1', kind: 'Namespace', metadata }),
  );
  const folder = await mkdtemp(join(tmpdir(), 'millrace-dispatcher-'));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, kubeconfigFor(api.url));
  child = startMain(main, {
    KUBECONFIG: kubeconfig,
    REDIS_URL: 'redis://127.0.0.1:1',
    ...everyFunctionAt('http://127.0.0.1:1'),
    PORT: '0',
  });
  const address = await child.url;
  const readiness = async () => (await fetch(`${address}/health/readiness`)).status;
  await expect.poll(readiness).toBe(200);
  expect(api.seen({}).map(({ method, path }) => [method, path])).toEqual([['GET', kubeSystem]]);
  await api.close();
  await rm(folder, { recursive: true });
});

const redis = await obtainOrSkip(() => startRedis());
describe.skipIf(redis === undefined)('over Redis', () => {
  const { url } = redis ?? ({ url: '' } as Redis);
  let queue: WorkQueue;
  let functionServer: Server;
  const delivered: string[] = [];
  let answer: (name: string) => Promise<number>;

  beforeAll(async () => {
    queue = createBullmqQueue({ url, log, prefix: redisPrefix(asUid(clusterUid)) });
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
      MILLRACE_CLUSTER_UID: clusterUid,
      ...everyFunctionAt(`http://127.0.0.1:${port}`),
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
      .poll(async () => queue.depth('flow-advance'))
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
    await expect.poll(() => delivered).toEqual(['slow']);
    running.kill('SIGTERM');
    await expect.poll(() => running.lines.some(({ msg }) => msg === 'stopping')).toBe(true);
    resolve(204);
    expect(await running.exit).toMatchObject({ code: 0, stderr: '' });
    expect(await queue.depth('flow-advance')).toMatchObject({ waiting: 0, running: 0, delayed: 0 });
  });
});
