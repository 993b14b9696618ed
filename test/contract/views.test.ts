import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Redis as RedisClient } from 'ioredis';
import { hasCode } from '#shared/domain/errors.ts';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { silentLog } from '#shared/redis/log.ts';
import { infoField } from '#shared/redis/server-check.ts';
import { createMemoryViews } from '#shared/views/memory-views.ts';
import { createRedisViews } from '#shared/views/redis-views.ts';
import type { ViewTimes } from '#shared/views/view-store.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { flushAll } from './bullmq-under-test.ts';
import { viewsContract } from './views-contract.ts';
import { hasten } from './views-in-redis.ts';

describe('views in memory', () => {
  viewsContract(async (times = {}) => {
    const clock = virtualClock(1_000_000);
    const store = createMemoryViews({ clock, times });
    return {
      store,
      empty: async () => store.clear(),
      pass: (ms) => clock.advance(ms),
      close: () => store.close(),
    };
  });
});

describeWithRedis('views in Redis', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  const open = (times: Partial<ViewTimes> = {}) =>
    createRedisViews({
      url: redis.url,
      log: silentLog,
      timeoutMs: 2_000,
      prefix: `{${randomUUID()}}`,
      times,
    });

  viewsContract(async (times) => {
    const store = open(times);
    return {
      store,
      empty: () => flushAll(redis.url),
      pass: (ms) => hasten(redis.url, ms),
      close: () => store.close(),
    };
  });

  it('fails within its deadline when Redis is away', async () => {
    const store = createRedisViews({
      url: 'redis://127.0.0.1:1',
      log: silentLog,
      timeoutMs: 100,
      prefix: '{x}',
    });
    await expect(store.read(asUid('u'))).rejects.toSatisfy((error) =>
      hasCode(error, 'MR_QUEUE_UNAVAILABLE'),
    );
    await store.close();
  });

  it('takes nothing in a Redis without memory, and can still be released', async () => {
    const store = open();
    const client = new RedisClient(redis.url);
    const root = asUid('flow-1');
    const entries = [{ key: 'jobs.batch/j1', version: asResourceVersion('1'), content: 'x' }];
    await store.hold('a', false);
    await store.write('a', [{ root, isWhole: true, entries: [] }]);
    const used = Number(infoField(await client.info('memory'), 'used_memory'));
    await client.config('SET', 'maxmemory', String(used - 100_000));
    try {
      await expect(store.write('a', [{ root, isWhole: false, entries }])).rejects.toThrow('OOM');
      await expect(store.hold('b', true)).rejects.toThrow('OOM');
      expect((await store.read(root))?.entries).toEqual([]);
      await store.release();
      expect(await store.read(root)).toBeUndefined();
    } finally {
      await client.config('SET', 'maxmemory', '0');
      client.disconnect();
      await store.close();
    }
  });
});
