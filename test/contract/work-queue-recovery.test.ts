/** The recovery times with the default settings, which the documentation promises to operators. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createBullmqQueue, takenAgainWithinMs } from '#shared/queue/bullmq-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { takeAndDie } from './bullmq-under-test.ts';
import { itemFor, takeNext } from './work-queue-contract.ts';

const fn = 'flow-advance';
const run = promisify(execFile);

describeWithRedis('a work queue on BullMQ with its defaults', () => {
  let redis: Redis;
  let prefix: string;
  let queue: WorkQueue;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(() => {
    prefix = `{${randomUUID()}}`;
    queue = createBullmqQueue({ url: redis.url, log: silentLog, prefix });
  });
  afterEach(() => queue.close());

  it('takes the item of a killed worker again, after 5 s at most on a machine that has time', async () => {
    await queue.add([itemFor('u1')]);
    await takeAndDie([redis.url, JSON.stringify({ prefix }), fn]);
    await (await takeNext(queue, 50_000)).ack();
    expect(takenAgainWithinMs).toBe(5_000);
  });

  it('leaves a worker its item that blocks for 2 s again and again', async () => {
    await queue.add([itemFor('u1')]);
    const script = new URL('work-queue-blocked-worker.ts', import.meta.url).pathname;
    const stop = new AbortController();
    const working = run(process.execPath, [script, redis.url, prefix, fn, '2000']);
    await expect.poll(() => queue.depth(fn)).toMatchObject({ running: 1 });
    const stolen = queue.take(fn, stop.signal);
    const { stdout } = await working;
    stop.abort();
    expect(stdout).toBe('kept\n');
    expect(await stolen).toBeUndefined();
    expect(await queue.depth(fn)).toMatchObject({ waiting: 0, running: 0 });
  });
});
