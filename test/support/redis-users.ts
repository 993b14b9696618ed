/** A real redis-server with the users of deploy/redis, a password for each, and an observing admin. */
import { createHash, randomUUID } from 'node:crypto';
import { Redis as RedisClient } from 'ioredis';
import { processes } from '#functions/processes.ts';
import { asUid } from '#shared/domain/objects.ts';
import { aclFile, clusterUidWord, passwordWord } from '#shared/installation/redis-users.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { silentLog } from '#shared/redis/log.ts';
import { type Redis, type RedisOptions, startRedis } from './redis.ts';

export const redisUserNames = processes.flatMap(({ name, redis }) =>
  redis === undefined ? [] : [name],
);

const admin = 'admin-of-the-test';

export interface RedisWithUsers {
  readonly redis: Redis;
  /** Prefix of the cluster whose keys the users may access. */
  readonly prefix: string;
  /** Has all rights. */
  readonly admin: RedisClient;
  readonly adminUrl: string;
  readonly urlOf: (user: string) => string;
  /** The options to open an adapter of this user's process. */
  readonly adapterOf: (user: string) => ReturnType<typeof adapter>;
  /** Refusals since the last call, from the server's record: `bridge command flushall`. */
  refusals(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const adapter = (url: string, prefix: string) => ({
  ...{ url, prefix, log: silentLog, timeoutMs: 10_000 },
});

export async function startRedisWithUsers(
  options: Pick<RedisOptions, 'tls'> = {},
): Promise<RedisWithUsers> {
  const cluster = randomUUID();
  const prefix = redisPrefix(asUid(cluster));
  const redis = await startRedis({ ...options, users: usersOf(cluster) });
  const urlOf = (user: string): string => {
    const url = new URL(redis.url);
    url.username = user;
    url.password = passwordOf(user);
    return url.href;
  };
  const adminUrl = urlOf(admin);
  const trust = options.tls === undefined ? {} : { tls: { ca: options.tls.cert } };
  const observer = new RedisClient(adminUrl, trust);
  return {
    ...{ redis, prefix, admin: observer, adminUrl, urlOf },
    adapterOf: (user) => adapter(urlOf(user), prefix),
    refusals: () => takeRefusals(observer),
    stop: async () => {
      observer.disconnect();
      await redis.stop();
    },
  };
}

function usersOf(cluster: string): string {
  const known = redisUserNames.reduce(
    (text, user) => text.replace(`#${passwordWord(user)} `, `#${hashOf(user)} `),
    aclFile(processes).replaceAll(clusterUidWord, cluster),
  );
  return `${known}user ${admin} on #${hashOf(admin)} ~* &* +@all\n`;
}

function passwordOf(user: string): string {
  return `password of ${user}`;
}

function hashOf(user: string): string {
  return createHash('sha256').update(passwordOf(user)).digest('hex');
}

/** Newest last. */
async function takeRefusals(observer: RedisClient): Promise<readonly string[]> {
  const lines = (await observer.call('ACL', 'LOG')) as readonly (readonly string[])[];
  await observer.call('ACL', 'LOG', 'RESET');
  return lines.toReversed().map((fields) => {
    const valueOf = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
    return ['username', 'reason', 'object'].map(valueOf).join(' ');
  });
}
