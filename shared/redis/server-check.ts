import type { Redis } from 'ioredis';
import { addressOf } from './connection.ts';
import type { RedisLog } from './log.ts';

/** XTRIM with MINID and LPOS need it. */
const oldestVersion = [6, 2] as const;

/**
 * Logs one warning per setting of the server that endangers the queue: a version below 6.2, or a
 * maxmemory-policy that may evict work. A server that refuses INFO is left unchecked.
 */
export async function checkServer(client: Redis, log: RedisLog): Promise<void> {
  const address = addressOf(client);
  let info: string;
  try {
    info = await client.info();
  } catch (error) {
    // A connection that was lost or closed meanwhile tells of itself.
    if (!(error instanceof Error) || error.name !== 'ReplyError') return;
    log.warn({ address, error: error.message }, 'redis does not report its version and settings');
    return;
  }
  const version = infoField(info, 'redis_version') ?? '';
  if (isOlder(version)) {
    log.warn({ address, version, oldest: oldestVersion.join('.') }, 'redis is too old');
  }
  const policy = infoField(info, 'maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    log.warn({ address, policy, needed: 'noeviction' }, 'redis may evict queued work');
  }
}

/** A field of an INFO reply, undefined when the server does not report it. */
export function infoField(info: string, name: string): string | undefined {
  const line = info.split('\r\n').find((candidate) => candidate.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]);
}
