import { existsSync } from 'node:fs';
import { Redis as Client } from 'ioredis';
import { afterEach, expect, it } from 'vitest';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';

describeWithRedis('a Redis of its own', () => {
  let redis: Redis;
  afterEach(() => redis.stop());

  async function use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client(redis.url, { maxRetriesPerRequest: 0 });
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  }

  it('comes back on its port with what it acknowledged when it is persistent', async () => {
    redis = await startRedis({ persistence: true });
    const { url, pid } = redis;
    await use((client) => client.set('kept', 'yes'));
    await redis.kill();
    expect(redis.pid).toBeUndefined();
    await redis.restart();
    expect(redis.url).toBe(url);
    expect(redis.pid).not.toBe(pid);
    expect(await use((client) => client.get('kept'))).toBe('yes');
  });

  it('comes back empty otherwise', async () => {
    redis = await startRedis();
    await use((client) => client.set('lost', 'yes'));
    await redis.kill();
    await redis.restart();
    expect(await use((client) => client.get('lost'))).toBeNull();
  });

  it('never evicts: a queue must not lose keys', async () => {
    redis = await startRedis();
    const answer = await use((client) => client.config('GET', 'maxmemory-policy'));
    expect(answer).toEqual(['maxmemory-policy', 'noeviction']);
  });

  it('leaves nothing behind when it is stopped', async () => {
    redis = await startRedis();
    expect(existsSync(redis.folder)).toBe(true);
    await redis.stop();
    expect(existsSync(redis.folder)).toBe(false);
    expect(redis.pid).toBeUndefined();
  });
});
