import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Redis as RedisClient } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BullmqQueueOptions, createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { Lease, WorkQueue } from '#shared/queue/work-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { flushAll } from './bullmq-under-test.ts';
import { itemFor, takeNext } from './work-queue-contract.ts';

const fn = 'flow-advance';
const lockMs = 3_000;

describeWithRedis('leases on BullMQ', () => {
  let redis: Redis;
  let client: RedisClient;
  let prefix: string;
  let warnings: string[];
  const queues: WorkQueue[] = [];

  const open = (changes: Partial<BullmqQueueOptions> = {}) => {
    const queue = createBullmqQueue({
      url: redis.url,
      log: { ...silentLog, warn: (_, message) => warnings.push(message) },
      prefix,
      lockMs,
      stalledCheckMs: 300,
      closeGraceMs: 50,
      ...changes,
    });
    queues.push(queue);
    return queue;
  };

  beforeAll(async () => {
    redis = await startRedis();
    client = new RedisClient(redis.url);
  });
  afterAll(async () => {
    client.disconnect();
    await redis.stop();
  });
  beforeEach(() => {
    prefix = `{${randomUUID()}}`;
    warnings = [];
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.close()));
  });

  it('takes no item after its caller has left', async () => {
    const queue = open();
    await queue.add(Array.from({ length: 10 }, (_, n) => itemFor(`u${n}`)));
    const lease = await takeNext(queue);
    await sleep(100);
    expect(await queue.depth(fn)).toMatchObject({ waiting: 9, running: 1 });
    await lease.ack();
    await sleep(100);
    expect(await queue.depth(fn)).toMatchObject({ waiting: 9, running: 0 });
  });

  it('gives an item back at once when its taker has left meanwhile', async () => {
    // With a lock that is left behind, the item would stay for longer than a test may take.
    const leaving = open({ lockMs: 600_000 });
    const staying = open({ lockMs: 600_000 });
    const abort = new AbortController();
    const left = leaving.take(fn, abort.signal);
    await sleep(200);
    abort.abort();
    expect(await left).toBeUndefined();
    await staying.add([itemFor('u1')]);
    expect((await takeNext(staying)).item.key.uid).toBe('u1');
  });

  it('holds an item for as long as its worker lives', async () => {
    const holder = open();
    const other = open();
    await holder.add([itemFor('u1')]);
    const lease = await takeNext(holder);
    const stolen = await other.take(fn, AbortSignal.timeout(2 * lockMs));
    expect(stolen).toBeUndefined();
    expect(lease.signal.aborted).toBe(false);
    await lease.ack();
    expect(await holder.depth(fn)).toMatchObject({ waiting: 0, running: 0 });
  });

  it('notifies the holder when another took its item, and ignores what it settles', async () => {
    const holder = open();
    const other = open();
    await holder.add([itemFor('u1')]);
    const lease = await takeNext(holder);
    const [lock] = await client.keys(`${prefix}:${fn}:*:lock`);
    await client.del(lock!);
    const again = await takeNext(other);
    await expect.poll(() => lease.signal.aborted).toBe(true);
    await lease.park('too late');
    expect(await other.depth(fn)).toEqual({ waiting: 0, running: 1, delayed: 0, parked: 0 });
    await again.ack();
    expect(await other.depth(fn)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
  });

  it('runs no key twice at once with two processes at work', async () => {
    const sides = [open(), open()];
    const running = new Set<string>();
    const overlaps: string[] = [];
    const taken = [0, 0];
    const stop = new AbortController();
    const work = async (side: number) => {
      for (;;) {
        const lease = await sides[side]!.take(fn, stop.signal);
        if (lease === undefined) return;
        const { uid } = lease.item.key;
        if (running.has(uid)) overlaps.push(uid);
        running.add(uid);
        taken[side]! += 1;
        await sleep(1);
        running.delete(uid);
        await (taken[side]! % 5 === 0 ? lease.later(3, { failed: true }) : lease.ack());
      }
    };
    const takers = [0, 1, 0, 1, 0, 1].map(work);
    for (let round = 0; round < 100; round += 1) {
      await sides[round % 2]!.add(Array.from({ length: 10 }, (_, n) => itemFor(`u${n}`)));
    }
    await expect
      .poll(() => sides[0]!.depth(fn))
      .toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
    stop.abort();
    await Promise.all(takers);
    expect(overlaps).toEqual([]);
    expect(Math.min(...taken)).toBeGreaterThan(0);
  });

  it('drops a malformed item with a warning and serves the next', async () => {
    const queue = open();
    await queue.add([itemFor('bad')]);
    const [id] = await client.lrange(`${prefix}:${fn}:wait`, 0, 0);
    await client.hset(
      `${prefix}:${fn}:${id!}`,
      'data',
      '{"function":"flow-advance","key":{"uid":7}}',
    );
    await queue.add([itemFor('good')]);
    expect((await takeNext(queue)).item.key.uid).toBe('good');
    expect(warnings).toEqual(['dropped a malformed queue item']);
    expect(await queue.depth(fn)).toMatchObject({ waiting: 0, running: 1 });
  });

  it('goes on when the server has forgotten its scripts', async () => {
    const queue = open();
    await queue.add([itemFor('u1')]);
    await (await takeNext(queue)).later(0, { failed: true });
    await (await takeNext(queue)).ack();
    await client.script('FLUSH');
    await queue.add([itemFor('u1')]);
    const lease = await takeNext(queue);
    await client.script('FLUSH');
    await lease.later(0, { failed: true });
    await client.script('FLUSH');
    expect((await takeNext(queue)).failures).toBe(1);
  });

  it('wakes a postponed item at once when the server forgot its scripts and a lease was lost', async () => {
    const queue = open();
    await queue.add([itemFor('lost')]);
    // From now on the client assumes that the server has the scripts.
    await (await takeNext(queue)).later(0, { failed: false });
    const lost = await takeNext(queue);
    const [lock] = await client.keys(`${prefix}:${fn}:*:lock`);
    await client.del(lock!);
    await client.script('FLUSH');
    await lost.later(600_000, { failed: false });
    for (let round = 0; round < 3; round += 1) {
      await queue.add([itemFor('u1', 'first')]);
      const lease = await takeItem(queue, 'u1');
      await queue.add([itemFor('u1', 'second')]);
      await lease.later(600_000, { failed: false });
      const again = await takeItem(queue, 'u1');
      expect(again.item.cause).toBe('second');
      await again.ack();
    }
  });

  it('removes no parked item that is woken at the moment when it had to give way', async () => {
    const parking = open({ maxParked: 1 });
    const waking = open({ maxParked: 1 });
    for (let round = 0; round < 150; round += 1) {
      await parking.add([itemFor(`u${round}`)]);
      const lease = await takeNext(parking);
      const woken = itemFor(`u${round - 1}`);
      const parked = lease.park('no');
      // Each time at another moment of the parking.
      await sleep((round % 10) / 5);
      for (let turn = 0; turn < round % 7; turn += 1) await setImmediate();
      await Promise.all([parked, waking.add(round === 0 ? [] : [woken])]);
      if (round > 0) {
        const again = await takeNext(parking);
        expect(again.item).toEqual(woken);
        await again.ack();
      }
    }
    expect(await parking.depth(fn)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 1 });
  });

  it('leaves nothing behind but its bookkeeping when all items are done', async () => {
    await flushAll(redis.url);
    const queue = open();
    for (let n = 0; n < 5; n += 1) {
      await queue.add([itemFor(`u${n}`)]);
      const lease = await takeNext(queue);
      await queue.add([itemFor(`u${n}`, 'again')]);
      await lease.later(0, { failed: true });
      await (await takeNext(queue)).park('no');
      await queue.add([itemFor(`u${n}`)]);
      await (await takeNext(queue)).ack();
    }
    const keys = (await client.keys('*')).sort();
    const kept = ['events', 'id', 'marker', 'meta', 'stalled-check', 'millraceTaken'].map(
      (name) => `${prefix}:${fn}:${name}`,
    );
    expect(keys.filter((key) => !kept.includes(key))).toEqual([]);
  });
});

/** The next run of this item. Other items are acknowledged. */
async function takeItem(queue: WorkQueue, uid: string): Promise<Lease> {
  for (;;) {
    const lease = await takeNext(queue);
    if (lease.item.key.uid === uid) return lease;
    await lease.ack();
  }
}
