import { Redis as RedisClient } from 'ioredis';

/** As if so many milliseconds had passed: every expiry comes that much earlier. */
export async function hasten(url: string, ms: number): Promise<void> {
  const client = new RedisClient(url);
  for (const key of await client.keys('*')) {
    const leftMs = await client.pttl(key);
    if (leftMs >= 0) await client.pexpire(key, leftMs - ms);
  }
  client.disconnect();
}
