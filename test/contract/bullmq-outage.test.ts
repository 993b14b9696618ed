import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hasCode } from '#shared/domain/errors.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { freePort } from '#test/support/free-ports.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { flushAll } from './bullmq-under-test.ts';
import { itemFor, takeNext } from './work-queue-contract.ts';

const fn = 'flow-advance';
const timeoutMs = 500;
const lockMs = 2_000;

function open(url: string): WorkQueue {
  return createBullmqQueue({
    url,
    prefix: '{outage}',
    log: silentLog,
    timeoutMs,
    lockMs,
    stalledCheckMs: 500,
    closeGraceMs: 50,
  });
}

async function expectUnavailable(call: () => Promise<unknown>): Promise<void> {
  const error: unknown = await call().catch((reason: unknown) => reason);
  expect(hasCode(error, 'MR_QUEUE_UNAVAILABLE')).toBe(true);
  // By its own deadline, or at once. A connection itself gives up only after ten times as long.
  expect(String(error)).toMatch(/no answer within 500 ms|Stream isn't writeable/);
}

/** Retries the same call until it is stored, as the bridge does. */
async function addUntilStored(queue: WorkQueue, uids: readonly string[]): Promise<void> {
  await expect
    .poll(() => queue.add(uids.map((uid) => itemFor(uid))).then(() => 'stored', String), {
      timeout: 10_000,
    })
    .toBe('stored');
}

describeWithRedis('work queue on BullMQ while Redis fails', () => {
  let redis: Redis;
  let queue: WorkQueue;
  const start = async (persistence: boolean) => {
    redis = await startRedis({ persistence });
    queue = open(redis.url);
  };
  beforeEach(() => start(false));
  afterEach(async () => {
    await queue.close();
    await redis.stop();
  });

  it('rejects calls within their deadline during an outage and serves them afterwards', async () => {
    await addUntilStored(queue, ['before']);
    await (await takeNext(queue)).ack();
    await redis.kill();
    await expectUnavailable(() => queue.add([itemFor('u1')]));
    await expectUnavailable(() => queue.add([itemFor('u1')]));
    await expectUnavailable(() => queue.depth(fn));
    await expectUnavailable(() => queue.parked(fn));
    await redis.restart();
    await addUntilStored(queue, ['u1']);
    const lease = await takeNext(queue);
    expect(lease.item).toEqual(itemFor('u1'));
    await lease.ack();
    expect(await queue.depth(fn)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
  });

  it('starts before Redis does', async () => {
    const port = await freePort();
    const early = open(`redis://127.0.0.1:${port}`);
    const waiting = takeNext(early);
    await expectUnavailable(() => early.add([itemFor('u1')]));
    const late = await startRedis({ port });
    await addUntilStored(early, ['u1']);
    expect((await waiting).item.key.uid).toBe('u1');
    await early.close();
    await late.stop();
  });

  it('rejects adds within their deadline while Redis hangs, and recovers when it goes on', async () => {
    await addUntilStored(queue, ['before']);
    await (await takeNext(queue)).ack();
    process.kill(redis.pid!, 'SIGSTOP');
    await expectUnavailable(() => queue.add([itemFor('u1')]));
    process.kill(redis.pid!, 'SIGCONT');
    await addUntilStored(queue, ['u1', 'u2']);
    expect((await takeNext(queue)).item.key.uid).toBe('u1');
    expect((await takeNext(queue)).item.key.uid).toBe('u2');
  });

  it('serves a taker that waited all through an outage and an empty restart', async () => {
    const waiting = takeNext(queue, 20_000);
    await sleep(200);
    await redis.kill();
    await sleep(500);
    await redis.restart();
    await addUntilStored(queue, ['u1']);
    expect((await waiting).item.key.uid).toBe('u1');
  });

  it('closes while Redis is away, also when it never was there', async () => {
    const never = open(`redis://127.0.0.1:${await freePort()}`);
    const neverTaken = never.take(fn, new AbortController().signal);
    await addUntilStored(queue, ['u1']);
    await takeNext(queue);
    const taken = queue.take(fn, new AbortController().signal);
    await redis.kill();
    await Promise.all([queue.close(), never.close()]);
    expect(await taken).toBeUndefined();
    expect(await neverTaken).toBeUndefined();
  });

  it.each(['ack', 'later', 'park'] as const)(
    'ends %s quietly when Redis is gone, and serves later adds',
    async (verb) => {
      await addUntilStored(queue, ['u1']);
      const lease = await takeNext(queue);
      await redis.kill();
      if (verb === 'ack') await lease.ack();
      else if (verb === 'park') await lease.park('no');
      else await lease.later(60_000, { failed: true });
      await redis.restart();
      await addUntilStored(queue, ['u2']);
      expect((await takeNext(queue)).item.key.uid).toBe('u2');
    },
  );

  it('notifies a holder that it may have lost its lease when Redis stays away', async () => {
    await addUntilStored(queue, ['u1']);
    const lease = await takeNext(queue);
    await redis.kill();
    await expect.poll(() => lease.signal.aborted).toBe(true);
  });

  it('runs every item after a kill and restart of a persistent Redis under load', async () => {
    await queue.close();
    await redis.stop();
    await start(true);
    const uids = Array.from({ length: 300 }, (_, n) => `u${n}`);
    const done = new Set<string>();
    const stop = new AbortController();
    const killed = Promise.withResolvers<true>();
    const work = async () => {
      for (;;) {
        const lease = await queue.take(fn, stop.signal);
        if (lease === undefined) return;
        await sleep(5);
        // Redis is killed while each taker holds an item and most of them wait.
        if (done.size > 30) await killed.promise;
        await lease.ack();
        if (!lease.signal.aborted) done.add(lease.item.key.uid);
      }
    };
    const takers = Array.from({ length: 10 }, work);
    await addUntilStored(queue, uids);
    await expect.poll(() => done.size).toBeGreaterThan(30);
    await redis.kill();
    killed.resolve(true);
    expect(done.size).toBeLessThan(300);
    await sleep(300);
    await redis.restart();
    await expect.poll(() => done.size).toBe(300);
    await expect
      .poll(() => queue.depth(fn))
      .toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
    stop.abort();
    await Promise.all(takers);
  });

  it('serves later adds after FLUSHALL in the middle of the work', async () => {
    const uids = Array.from({ length: 200 }, (_, n) => `u${n}`);
    const runs = new Map<string, number>();
    const stop = new AbortController();
    const work = async () => {
      for (;;) {
        const lease = await queue.take(fn, stop.signal);
        if (lease === undefined) return;
        const { uid } = lease.item.key;
        await sleep(5);
        runs.set(uid, (runs.get(uid) ?? 0) + 1);
        await lease.ack();
      }
    };
    const takers = Array.from({ length: 10 }, work);
    await addUntilStored(queue, uids);
    await expect.poll(() => runs.size).toBeGreaterThan(20);
    await flushAll(redis.url);
    runs.clear();
    await addUntilStored(queue, uids);
    await expect.poll(() => runs.size).toBe(200);
    stop.abort();
    await Promise.all(takers);
  });
});
