import { addressOf, connectRedis, type RedisAddress } from './connection.ts';
import { withinDeadline } from './deadline.ts';
import { silentLog } from './log.ts';

/** How long a server may take to accept a connection and to answer once, in milliseconds. */
const timeoutMs = 5_000;

/**
 * Resolves when Redis has answered once, over a connection that is closed again. Throws
 * MR_QUEUE_UNAVAILABLE with what the first attempt failed for, and MR_REDIS_INSECURE.
 *
 * For a start on a terminal: the connections that work later try again for ever, which at the start only
 * hides a wrong address.
 */
export async function requireRedis({ url, ...address }: RedisAddress): Promise<void> {
  const client = connectRedis(url, { role: 'worker', log: silentLog, ...address });
  try {
    const failed = new Promise<never>((_, reject) => client.once('error', reject));
    const answered = Promise.race([client.ping(), failed]);
    await withinDeadline({ address: addressOf(client), timeoutMs }, () => answered);
  } finally {
    client.disconnect();
  }
}
