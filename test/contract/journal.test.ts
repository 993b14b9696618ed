import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Redis as RedisClient } from 'ioredis';
import { hasCode } from '#shared/domain/errors.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { JournalBounds } from '#shared/journal/bounds.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { silentLog } from '#shared/redis/log.ts';
import { infoField } from '#shared/redis/server-check.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { flushAll } from './bullmq-under-test.ts';
import { decisionRecord, eventRecord, journalContract } from './journal-contract.ts';

describe('journal in memory', () => {
  journalContract(async (bounds = {}) => {
    const journal = createMemoryJournal({ clock: systemClock, bounds });
    return { journal, empty: async () => journal.clear(), close: () => journal.close() };
  });

  it('drops entries beyond its length and its age', async () => {
    const clock = virtualClock(1_000_000);
    const journal = createMemoryJournal({
      clock,
      bounds: { maxEntries: 3, maxAgeMs: 1_000 },
    });
    await journal.append(['a', 'b', 'c', 'd'].map(decisionRecord));
    expect((await journal.read(undefined, 10)).map(({ record }) => record)).toEqual(
      ['b', 'c', 'd'].map(decisionRecord),
    );
    await clock.advance(2_000);
    await journal.append([decisionRecord('e')]);
    expect((await journal.read(undefined, 10)).map(({ record }) => record)).toEqual([
      decisionRecord('e'),
    ]);
  });

  it('keeps the order when the clock is set back', async () => {
    const clock = virtualClock(1_000_000);
    const journal = createMemoryJournal({ clock });
    await journal.append([decisionRecord('a')]);
    clock.step(-500_000);
    await journal.append([decisionRecord('b')]);
    const [first, second] = await journal.read(undefined, 10);
    expect(second!.position > first!.position).toBe(true);
    expect(await journal.read(first!.position, 10)).toEqual([second]);
  });

  it('forgets an event id after its time', async () => {
    const clock = virtualClock(1_000_000);
    const journal = createMemoryJournal({ clock, bounds: { seenMs: 1_000 } });
    await journal.append([eventRecord('u1.1')]);
    await clock.advance(1_001);
    await journal.append([eventRecord('u1.1')]);
    expect(await journal.read(undefined, 10)).toHaveLength(2);
  });

  it('forgets neither entries nor event ids when the clock is set forward', async () => {
    const clock = virtualClock(1_000_000);
    const journal = createMemoryJournal({ clock, bounds: { seenMs: 1_000, maxAgeMs: 1_000 } });
    await journal.append([eventRecord('u1.1')]);
    clock.step(3_600_000);
    await journal.append([eventRecord('u1.1'), eventRecord('u1.2')]);
    expect(await journal.read(undefined, 10)).toHaveLength(2);
  });
});

describeWithRedis('journal on a Redis Stream', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await startRedis({ persistence: true });
  });
  afterAll(() => redis.stop());

  /** Far from its deadline even for large appends and a busy disk. */
  const open = (
    bounds: Partial<JournalBounds> = {},
    prefix = `{${randomUUID()}}`,
    timeoutMs = 10_000,
  ) => createRedisJournal({ url: redis.url, log: silentLog, timeoutMs, prefix, bounds });

  journalContract(async (bounds) => {
    const journal = open(bounds);
    return { journal, empty: () => flushAll(redis.url), close: () => journal.close() };
  });

  it('drops entries far beyond its length', async () => {
    const journal = open({ maxEntries: 100 });
    for (let n = 0; n < 10; n += 1) {
      await journal.append(Array.from({ length: 100 }, () => decisionRecord(`e${n}`)));
    }
    const kept = await journal.read(undefined, 10_000);
    // Whole nodes of 100 entries are dropped.
    expect(kept.length).toBeGreaterThanOrEqual(100);
    expect(kept.length).toBeLessThanOrEqual(200);
    await journal.close();
  });

  it('drops entries beyond their age', async () => {
    const journal = open({ maxAgeMs: 50 });
    await journal.append(Array.from({ length: 300 }, () => decisionRecord('old')));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await journal.append([decisionRecord('new')]);
    const kept = await journal.read(undefined, 10_000);
    expect(kept.length).toBeLessThanOrEqual(101);
    expect(kept.at(-1)?.record).toEqual(decisionRecord('new'));
    await journal.close();
  });

  it('takes about as much memory of Redis as its bound says', async () => {
    const prefix = `{${randomUUID()}}`;
    const maxBytes = 2_000_000;
    const journal = open({ maxBytes }, prefix);
    for (let n = 0; n < 40; n += 1) {
      const records = Array.from({ length: 100 }, (_, m) => ({
        ...decisionRecord(`e${n}`),
        outcome: 'x'.repeat(m * 20),
      }));
      await journal.append(records);
    }
    const client = new RedisClient(redis.url);
    const bytes = (await client.memory('USAGE', `${prefix}:journal`, 'SAMPLES', 0)) ?? 0;
    client.disconnect();
    expect(bytes).toBeGreaterThan(maxBytes * 0.8);
    expect(bytes).toBeLessThan(maxBytes * 1.3);
    await journal.close();
  });

  it('goes on in a Redis without memory, and gives its own oldest entries up for the queue', async () => {
    const warnings: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
    const prefix = `{${randomUUID()}}`;
    const journal = createRedisJournal({ url: redis.url, log, timeoutMs: 10_000, prefix });
    const client = new RedisClient(redis.url);
    const fill = Array.from({ length: 100 }, () => ({
      ...decisionRecord('old'),
      outcome: 'x'.repeat(20_000),
    }));
    for (let n = 0; n < 5; n += 1) await journal.append(fill);
    await journal.epoch();
    const used = Number(infoField(await client.info('memory'), 'used_memory'));
    await client.config('SET', 'maxmemory', String(used - 100_000));
    try {
      await expect(client.set('work', 'x')).rejects.toThrow('OOM');
      await journal.epoch();
      await journal.append([eventRecord('u1.1'), decisionRecord('new')]);
      const kept = (await journal.read(undefined, 1_000)).map(({ record }) => record);
      expect(kept.slice(-2)).toEqual([eventRecord('u1.1'), decisionRecord('new')]);
      expect(kept.length).toBeLessThan(502);
      expect(kept.length).toBeGreaterThan(400);
      expect(warnings).toEqual([{ address: expect.any(String) as string, entries: 50 }]);
      expect(await client.set('work', 'x')).toBe('OK');
    } finally {
      await client.config('SET', 'maxmemory', '0');
      client.disconnect();
      await journal.close();
    }
  });

  it('appends what it is given also when there is nothing to give up', async () => {
    const journal = open();
    const client = new RedisClient(redis.url);
    await client.config('SET', 'maxmemory', '1');
    try {
      await journal.append([eventRecord('u1.1'), decisionRecord('a')]);
      await journal.append([eventRecord('u1.1'), decisionRecord('b')]);
      expect((await journal.read(undefined, 10)).at(-1)?.record).toEqual(decisionRecord('b'));
    } finally {
      await client.config('SET', 'maxmemory', '0');
      client.disconnect();
      await journal.close();
    }
  });

  it('skips entries that are no records of this format', async () => {
    const prefix = `{${randomUUID()}}`;
    const client = new RedisClient(redis.url);
    for (const text of ['{', 'null', '{"kind":"event","format":99}', '{"kind":"x","format":2}']) {
      await client.xadd(`${prefix}:journal`, '*', 'record', text);
    }
    client.disconnect();
    const journal = open({}, prefix);
    await journal.append([eventRecord('u1.1')]);
    // A page of other records only is not the end.
    for (const limit of [1, 2, 10]) {
      expect((await journal.read(undefined, limit)).map(({ record }) => record)).toEqual([
        eventRecord('u1.1'),
      ]);
    }
    await journal.close();
  });

  it('keeps entries and epoch id over a kill of Redis, and shows that it was another run', async () => {
    const journal = open();
    await journal.append([eventRecord('u1.1')]);
    const [idBefore, runBefore] = (await journal.epoch()).split('.');
    await redis.kill();
    await redis.restart();
    await expect.poll(() => journal.epoch().catch(() => '')).not.toBe('');
    const [idAfter, runAfter] = (await journal.epoch()).split('.');
    expect(idAfter).toBe(idBefore);
    expect(runAfter).not.toBe(runBefore);
    expect(await journal.read(undefined, 10)).toHaveLength(1);
    await journal.close();
  });

  it('rejects every call within its deadline while Redis is away, and works afterwards', async () => {
    const timeoutMs = 500;
    const journal = open({}, undefined, timeoutMs);
    await journal.append([eventRecord('u1.1')]);
    await redis.kill();
    const calls = [
      () => journal.append([eventRecord('u1.2')]),
      () => journal.read(undefined, 10),
      () => journal.epoch(),
    ];
    for (const call of calls) {
      const error: unknown = await call().catch((reason: unknown) => reason);
      expect(hasCode(error, 'MR_QUEUE_UNAVAILABLE')).toBe(true);
      // By its own deadline, or at once. A connection itself gives up only after ten times as long.
      expect(String(error)).toMatch(/no answer within 500 ms|Stream isn't writeable/);
    }
    await redis.restart();
    await expect
      .poll(() =>
        journal.append([eventRecord('u1.2')]).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await journal.read(undefined, 10)).toHaveLength(2);
    await journal.close();
  });
});
