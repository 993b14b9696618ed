import type { Redis } from 'ioredis';
import { addressOf } from './connection.ts';
import type { RedisLog } from './log.ts';

/** XTRIM with MINID and LPOS need it. */
const oldestVersion = [6, 2] as const;
export const oldestRedis = oldestVersion.join('.');

/**
 * Logs one warning for each server setting that endangers the queue: a version below 6.2, or a
 * maxmemory-policy that may evict work. A server that refuses INFO is not checked.
 */
export async function checkServer(client: Redis, log: RedisLog): Promise<void> {
  const address = addressOf(client);
  let info: string;
  try {
    info = await client.info();
  } catch (error) {
    // A lost or closed connection reports itself.
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
  /** Empty if the server does not report it. */
  readonly version: string;
  readonly isTooOld: boolean;
  /** The maxmemory-policy, if it is not noeviction. */
  readonly evictsBy?: string;
}

/** Values in an INFO reply that endanger the queue. */
export function serverFaults(info: string): ServerFaults {
  const version = infoField(info, 'redis_version') ?? '';
  const policy = infoField(info, 'maxmemory_policy');
  return {
    ...{ version, isTooOld: isOlder(version) },
    ...(policy === undefined || policy === 'noeviction' ? {} : { evictsBy: policy }),
  };
}

/** A field of an INFO reply. Undefined: the server does not report it. */
export function infoField(info: string, name: string): string | undefined {
  const line = info.split('\r\n').find((candidate) => candidate.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]);
}
