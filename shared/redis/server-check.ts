import type { Redis } from 'ioredis';
import { addressOf } from './connection.ts';
import type { RedisLog } from './log.ts';

/** XTRIM with MINID and LPOS need it. */
const oldestVersion = [6, 2] as const;
export const oldestRedis = oldestVersion.join('.');

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
    // A connection that was lost or closed meanwhile reports that itself.
    if (!(error instanceof Error) || error.name !== 'ReplyError') return;
    log.warn({ address, error: error.message }, 'redis does not report its version and settings');
    return;
  }
  const { version, isTooOld, evictsBy } = serverFaults(info);
  if (isTooOld) log.warn({ address, version, oldest: oldestRedis }, 'redis is too old');
  if (evictsBy !== undefined) {
    log.warn({ address, policy: evictsBy, needed: 'noeviction' }, 'redis may evict queued work');
  }
}

export interface ServerFaults {
  /** Empty when the server does not report it. */
  readonly version: string;
  readonly isTooOld: boolean;
  /** The maxmemory-policy, where it is another one than noeviction. */
  readonly evictsBy?: string;
}

/** What of an INFO reply endangers the queue. */
export function serverFaults(info: string): ServerFaults {
  const version = infoField(info, 'redis_version') ?? '';
  const policy = infoField(info, 'maxmemory_policy');
  return {
    ...{ version, isTooOld: isOlder(version) },
    ...(policy === undefined || policy === 'noeviction' ? {} : { evictsBy: policy }),
  };
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
