import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { itemFor, takeNext } from './work-queue-contract.ts';

const fn = 'flow-advance';
/** Items that are left under a lock, or with a blocked fetch, would not come back during a test. */
const foreverMs = 600_000;

describeWithRedis('a work queue on BullMQ that closes', () => {
  let redis: Redis;
  let prefix: string;
  let warnings: string[];
  let staying: WorkQueue;

  const open = (closeGraceMs = foreverMs) =>
    createBullmqQueue({
      url: redis.url,
      log: { ...silentLog, warn: (_, message) => warnings.push(message) },
      prefix,
      lockMs: foreverMs,
      longestBlockMs: 2 * foreverMs,
      closeGraceMs,
    });

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(() => {
    prefix = `{${randomUUID()}}`;
    warnings = [];
    staying = open();
  });
  afterEach(() => staying.close());

  it('leaves an item that arrives at that moment to others at once, 100 times', async () => {
    for (let round = 0; round < 100; round += 1) {
      const leaving = open();
      const abort = new AbortController();
      const left = leaving.take(fn, abort.signal);
      // From a worker that is still connecting to one that blocks.
      await sleep(round % 25);
      // Every second time the taker is gone already, and only the blocked fetch is left.
      if (round % 2 === 0) abort.abort();
      const added = staying.add([itemFor(`u${round}`)]);
      await sleep(round % 3);
      const closed = leaving.close();
      await added;
      const lease = await left;
      await lease?.ack();
      if (lease === undefined) {
        const again = await takeNext(staying, 30_000);
        expect(again.item.key.uid).toBe(`u${round}`);
        await again.ack();
      }
      await closed;
      expect(await staying.depth(fn)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
    }
    expect(warnings).toEqual([]);
  });

  it('loses and holds up nothing while 10 takers wait and items pour in', async () => {
    const done: string[] = [];
    const workOn = async (queue: WorkQueue, signal: AbortSignal) => {
      for (;;) {
        const lease = await queue.take(fn, signal);
        if (lease === undefined) return;
        done.push(lease.item.key.uid);
        await sleep(done.length % 5);
        await lease.ack();
      }
    };
    const uids: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const leaving = open();
      const stop = new AbortController();
      const takers = Array.from({ length: 10 }, () => workOn(leaving, stop.signal));
      await sleep(20);
      const batch = Array.from({ length: 60 }, (_, n) => `r${round}-${n}`);
      uids.push(...batch);
      const pouring = (async () => {
        for (let n = 0; n < batch.length; n += 3) {
          await staying.add(batch.slice(n, n + 3).map((uid) => itemFor(uid)));
        }
      })();
      await sleep(5 + 3 * round);
      await leaving.close();
      await Promise.all([pouring, ...takers]);
    }
    const stop = new AbortController();
    const rest = Array.from({ length: 4 }, () => workOn(staying, stop.signal));
    await expect.poll(() => done.length).toBe(uids.length);
    stop.abort();
    await Promise.all(rest);
    expect(done.sort()).toEqual(uids.sort());
    expect(warnings).toEqual([]);
    expect(await staying.depth(fn)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
  });

  it('does not wait for a fetch that blocks', async () => {
    const leaving = open();
    const left = leaving.take(fn, new AbortController().signal);
    await sleep(300);
    await leaving.close();
    expect(await left).toBeUndefined();
  });

  it('passes on when the next postponed item is due', async () => {
    await staying.add([itemFor('u1')]);
    const leaving = open();
    const lease = await takeNext(leaving);
    const left = leaving.take(fn, new AbortController().signal);
    await sleep(200);
    const waiting = takeNext(staying, 30_000);
    await sleep(200);
    await lease.later(1_000, { failed: false });
    await sleep(100);
    await leaving.close();
    await (await waiting).ack();
    expect(await left).toBeUndefined();
  });
});
