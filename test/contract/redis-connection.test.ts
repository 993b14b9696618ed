import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Redis as RedisClient } from 'ioredis';
import { addressOf, closeRedis, connectRedis, whenReady } from '#shared/redis/connection.ts';
import type { RedisLog } from '#shared/redis/log.ts';
import { checkServer } from '#shared/redis/server-check.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';

interface Line {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: object;
}

describeWithRedis('a connection to Redis', () => {
  let redis: Redis;
  let client: RedisClient;
  let lines: Line[];
  const log: RedisLog = {
    info: (fields, message) => lines.push({ level: 'info', message, fields }),
    warn: (fields, message) => lines.push({ level: 'warn', message, fields }),
  };
  const messages = () => lines.map(({ message }) => message);

  beforeEach(async () => {
    lines = [];
    redis = await startRedis();
    client = connectRedis(redis.url, { role: 'producer', log });
    await whenReady(client, AbortSignal.timeout(5_000));
  });
  afterEach(async () => {
    await closeRedis(client);
    await redis.stop();
  });

  it('has nothing to say about a server that is set up well', async () => {
    await checkServer(client, log);
    expect(lines).toEqual([]);
  });

  it('hands over in one piece what is asked in one turn, and answers it in order', async () => {
    await client.ping();
    const asked = ['a', 'b', 'c'].map((text) => client.echo(text));
    expect(client.stream.writableLength).toBeGreaterThan(0);
    expect(await Promise.all(asked)).toEqual(['a', 'b', 'c']);
    expect(client.stream.writableCorked).toBe(0);
  });

  it('keeps what is asked before it is connected, for a worker', async () => {
    const worker = connectRedis(redis.url, { role: 'worker', log });
    expect(await worker.echo('early')).toBe('early');
    await closeRedis(worker);
  });

  it('sends what was asked before it closes', async () => {
    const asked = client.echo('last');
    await closeRedis(client);
    expect(await asked).toBe('last');
  });

  it('warns of a server that may evict work', async () => {
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await checkServer(client, log);
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'redis may evict queued work',
        fields: { address: addressOf(client), policy: 'allkeys-lru', needed: 'noeviction' },
      },
    ]);
  });

  it('says so when the server refuses its figures, and works on', async () => {
    await client.call('ACL', 'SETUSER', 'worker', 'on', '>secret', '~*', '+@all', '-@dangerous');
    const url = new URL(redis.url);
    url.username = 'worker';
    url.password = 'secret';
    const restricted = connectRedis(url.href, { role: 'producer', log });
    await whenReady(restricted, AbortSignal.timeout(5_000));
    await checkServer(restricted, log);
    expect(messages()).toContain('redis does not report its version and settings');
    expect(await restricted.set('key', 'value')).toBe('OK');
    expect(JSON.stringify(lines)).not.toContain('secret');
    await closeRedis(restricted);
  });

  it('does not take a connection that is closed meanwhile for a refusal', async () => {
    const leaving = connectRedis(redis.url, { role: 'producer', log });
    const checked = checkServer(leaving, log);
    leaving.disconnect();
    await checked;
    expect(messages()).toEqual([]);
  });

  it('logs an outage once and its end once', async () => {
    await redis.kill();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await redis.restart();
    await whenReady(client, AbortSignal.timeout(5_000));
    expect(messages()).toEqual(['redis connection failed', 'redis connection is back']);
  });

  it('closes at once during an outage, for good', async () => {
    await redis.kill();
    // Longer than a test may take, so the grace is never used up.
    await closeRedis(client, 600_000);
    await redis.restart();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(client.status).not.toBe('ready');
  });

  it('stops waiting for a server when its signal aborts', async () => {
    await redis.kill();
    await expect.poll(() => client.status).not.toBe('ready');
    await expect(whenReady(client, AbortSignal.timeout(50))).rejects.toThrow('not connected');
    // A client that is connecting waits for its own success, so it has to give up first.
    client.disconnect();
    await expect.poll(() => client.listenerCount('ready')).toBe(1);
  });

  it('uses TLS for rediss addresses', () => {
    const secure = connectRedis('rediss://:secret@127.0.0.1:1/0', { role: 'worker', log });
    expect(secure.options.tls).toBeDefined();
    expect(addressOf(secure)).toBe('127.0.0.1:1');
    secure.disconnect();
  });
});
