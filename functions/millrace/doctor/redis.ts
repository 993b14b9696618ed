/** The Redis of queue and journal: whether it answers, keeps its data, and is new enough. */
import { hasCode } from '#shared/domain/errors.ts';
import { addressOf, closeRedis, connectRedis } from '#shared/redis/connection.ts';
import { requireRedis } from '#shared/redis/first-answer.ts';
import { silentLog } from '#shared/redis/log.ts';
import { infoField, oldestRedis, serverFaults } from '#shared/redis/server-check.ts';
import type { RedisPlace } from '../cluster-redis.ts';
import { failure, type Finding, ok, type Patient, skipped, warning } from './examination.ts';

export async function examineRedis(patient: Patient): Promise<readonly Finding[]> {
  const { redis, way, unreachableRedis } = patient;
  if (redis !== undefined) return examine(redis);
  if (way === 'up' || way === 'absent') return [];
  const why = unreachableRedis ?? 'was not named';
  return [skipped('Redis', `${why}; add --redis redis://HOST:PORT`)];
}

async function examine({ url, insecure }: RedisPlace): Promise<readonly Finding[]> {
  const { hostname, port } = new URL(url);
  const cli = `redis-cli -h ${hostname} -p ${port === '' ? 6379 : port}`;
  try {
    await requireRedis({ url, insecure });
  } catch (error) {
    if (!hasCode(error, 'MR_QUEUE_UNAVAILABLE')) throw error;
    return [failure('Redis', (error as Error).message, `${cli} ping`)];
  }
  const client = connectRedis(url, { role: 'worker', log: silentLog, insecure });
  try {
    const info = await client.info();
    const snapshots = await client
      .config('GET', 'save')
      .then((reply) => (reply as readonly string[])[1] ?? '')
      // The user of a single process may not read the setting.
      .catch(() => undefined);
    return [
      ok('Redis', `answers at ${addressOf(client)}`),
      ...judged(info, cli),
      ...persistenceOf(info, snapshots, cli),
    ];
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
    return [skipped('Redis', `answers, and does not report its settings: ${error.message}`)];
  } finally {
    await closeRedis(client);
  }
}

function judged(info: string, cli: string): readonly Finding[] {
  const { version, isTooOld, evictsBy } = serverFaults(info);
  const policy = 'eviction policy of Redis';
  return [
    isTooOld
      ? failure(
          'version of Redis',
          `${version} is older than ${oldestRedis}`,
          `install Redis ${oldestRedis} or newer, and name it with --redis`,
        )
      : ok('version of Redis', version),
    evictsBy === undefined
      ? ok(policy, 'noeviction')
      : failure(
          policy,
          `${evictsBy} lets Redis drop queued work when its memory is full`,
          `${cli} config set maxmemory-policy noeviction`,
        ),
  ];
}

/** `snapshots`: the setting `save`. Undefined: unknown. */
function persistenceOf(
  info: string,
  snapshots: string | undefined,
  cli: string,
): readonly Finding[] {
  const about = 'persistence of Redis';
  const failed = ['rdb_last_bgsave_status', 'aof_last_write_status'].filter(
    (field) => (infoField(info, field) ?? 'ok') !== 'ok',
  );
  if (failed.length > 0) {
    const detail = `its last write to the disk failed (${failed.join(', ')}), so it may refuse writes`;
    return [failure(about, detail, `${cli} bgsave`)];
  }
  if (infoField(info, 'aof_enabled') === '1') return [ok(about, 'append-only file')];
  if (snapshots === undefined) return [skipped(about, 'this user may not read its settings')];
  if (snapshots !== '') return [ok(about, `snapshots (${snapshots})`)];
  return [
    warning(
      about,
      'is off: a restart of Redis loses the journal, and the queue is built again from the cluster',
      `${cli} config set appendonly yes`,
    ),
  ];
}
