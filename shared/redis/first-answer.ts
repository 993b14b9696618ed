import { addressOf, connectRedis, type RedisAddress } from './connection.ts';
import { withinDeadline } from './deadline.ts';
import { silentLog } from './log.ts';

/** Time limit for the connection and the first answer, in milliseconds. */
const timeoutMs = 5_000;

/**
 * Resolves when Redis has answered once, over a connection that is then closed. Throws
 * MR_QUEUE_UNAVAILABLE with the error of the first attempt, and MR_REDIS_INSECURE.
 *
 * For a start on a terminal: the later connections retry for ever, which would hide a wrong address.
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
