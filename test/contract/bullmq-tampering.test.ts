/** Foreign writes to single keys of the queue may cost a wake-up, but never later ones. */
import { randomUUID } from 'node:crypto';
import { Redis as RedisClient } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { workItemIdentity } from '#shared/domain/work-item.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { Lease, WorkQueue } from '#shared/queue/work-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { flushAll } from './bullmq-under-test.ts';
import { itemFor, takeNext } from './work-queue-contract.ts';

const fn = 'flow-advance';
const farMs = 600_000;
const nothingLeft = { waiting: 0, running: 0, delayed: 0, parked: 0 };

describeWithRedis('a work queue on BullMQ to whose keys others write', () => {
  let redis: Redis;
  let client: RedisClient;
  let queue: WorkQueue;
  let prefix: string;
  let warnings: string[];

  const keyOf = (name: string) => `${prefix}:${fn}:${name}`;
  const jobOf = async (uid: string) => {
    const id = await client.get(keyOf(`de:${workItemIdentity(itemFor(uid))}`));
    if (id === null) throw new Error(`no job of ${uid}`);
    return keyOf(id);
  };
  const overwrite = (key: string) =>
    client.hset(key, 'data', '{"function":"flow-advance","key":{"uid":5}}', 'opts', '{');

  beforeAll(async () => {
    redis = await startRedis();
    client = new RedisClient(redis.url);
  });
  afterAll(async () => {
    client.disconnect();
    await redis.stop();
  });
  beforeEach(async () => {
    await flushAll(redis.url);
    prefix = `{${randomUUID()}}`;
    warnings = [];
    queue = createBullmqQueue({
      url: redis.url,
      log: { ...silentLog, warn: (_, message) => warnings.push(message) },
      prefix,
      lockMs: 1_500,
      stalledCheckMs: 300,
      closeGraceMs: 50,
    });
  });
  afterEach(() => queue.close());

  describe('when the place of an item is gone and the item is not', () => {
    const places: readonly (readonly [string, string, (lease: Lease) => Promise<void>])[] = [
      ['was put off', 'delayed', (lease) => lease.later(farMs, { failed: true })],
      ['was parked', 'delayed', (lease) => lease.park('no')],
      ['is due again', 'delayed', (lease) => lease.later(0, { failed: true })],
      ['is running', 'active', async () => undefined],
    ];

    it.each(places)('runs an item that %s when it is asked for', async (_, place, settle) => {
      await queue.add([itemFor('u1', 'first')]);
      await settle(await takeNext(queue));
      await client.del(keyOf(place));
      await queue.add([itemFor('u1', 'second')]);
      const again = await takeNext(queue);
      expect(again.item.cause).toBe('second');
      await again.ack();
      expect(await queue.depth(fn)).toEqual(nothingLeft);
      expect(warnings).toEqual(['items that were in no line are queued again']);
    });

    it('runs items that wait when they are asked for, each of them once', async () => {
      const items = ['u1', 'u2', 'u3'].map((uid) => itemFor(uid));
      await queue.add(items);
      await client.del(keyOf('wait'));
      for (let round = 0; round < 3; round += 1) await queue.add(items);
      const uids: string[] = [];
      for (let taken = 0; taken < 3; taken += 1) {
        const lease = await takeNext(queue);
        uids.push(lease.item.key.uid);
        await lease.ack();
      }
      expect(uids).toEqual(['u1', 'u2', 'u3']);
      expect(await queue.depth(fn)).toEqual(nothingLeft);
    });

    it('runs an item that is asked for while a taker waits', async () => {
      await queue.add([itemFor('u1')]);
      await (await takeNext(queue)).later(farMs, { failed: false });
      const waiting = takeNext(queue);
      await client.del(keyOf('delayed'));
      await queue.add([itemFor('u1', 'second')]);
      expect((await waiting).item.cause).toBe('second');
    });

    it('finds an item again when the line has become shorter', async () => {
      await queue.add([itemFor('lost')]);
      await (await takeNext(queue)).later(farMs, { failed: false });
      await client.del(keyOf('delayed'));
      await queue.add(Array.from({ length: 1_001 }, (_, n) => itemFor(`u${n}`)));
      await queue.add([itemFor('lost')]);
      expect(await queue.depth(fn)).toMatchObject({ waiting: 1_001 });
      await (await takeNext(queue)).ack();
      await queue.add([itemFor('lost')]);
      expect(await queue.depth(fn)).toMatchObject({ waiting: 1_001 });
    });
  });

  describe('when an item is overwritten while it runs', () => {
    it('runs it once more for a wake-up that is overwritten, too', async () => {
      await queue.add([itemFor('u1', 'first')]);
      const lease = await takeNext(queue);
      await queue.add([itemFor('u1', 'second')]);
      await overwrite(await jobOf('u1'));
      await overwrite(keyOf(`dn:${workItemIdentity(lease.item)}`));
      await lease.ack();
      const again = await takeNext(queue);
      expect(again.item).toEqual(itemFor('u1', 'first'));
      await again.ack();
      expect(await queue.depth(fn)).toEqual(nothingLeft);
      expect(warnings).toEqual([]);
      expect(await client.keys(keyOf('*-*-*'))).toEqual([]);
    });

    it.each(['later', 'park'] as const)(
      'runs it at once after %s, having been woken',
      async (verb) => {
        await queue.add([itemFor('u1', 'first')]);
        const lease = await takeNext(queue);
        await queue.add([itemFor('u1', 'second')]);
        await overwrite(keyOf(`dn:${workItemIdentity(lease.item)}`));
        if (verb === 'park') await lease.park('no');
        else await lease.later(farMs, { failed: true });
        expect((await takeNext(queue)).item).toEqual(itemFor('u1', 'first'));
      },
    );

    it('runs it in time when it is put off', async () => {
      await queue.add([itemFor('u1')]);
      const lease = await takeNext(queue);
      await overwrite(await jobOf('u1'));
      await lease.later(50, { failed: true });
      const again = await takeNext(queue);
      expect(again.item).toEqual(itemFor('u1'));
      expect(again.failures).toBe(1);
    });

    it('lists what is parked and why', async () => {
      await queue.add([itemFor('u1')]);
      const lease = await takeNext(queue);
      await overwrite(await jobOf('u1'));
      await lease.park('no');
      expect(await queue.parked(fn)).toMatchObject([{ item: itemFor('u1'), reason: 'no' }]);
    });
  });

  it('drops an item that is overwritten while it waits, and a wake-up of it, and serves later ones', async () => {
    await queue.add([itemFor('u1')]);
    await overwrite(await jobOf('u1'));
    await client.hset(keyOf(`dn:${workItemIdentity(itemFor('u1'))}`), 'opts', '{');
    await queue.add([itemFor('u2')]);
    expect((await takeNext(queue)).item.key.uid).toBe('u2');
    await queue.add([itemFor('u1', 'second')]);
    const lease = await takeNext(queue);
    expect(lease.item).toEqual(itemFor('u1', 'second'));
    await lease.ack();
    expect(warnings).toEqual(['dropped a malformed queue item']);
  });
});
