/** The stores in Redis of a function that runs apart: the journal, and the views that the bridge keeps. */
import type { Uid } from '#shared/domain/objects.ts';
import type { Journal } from '#shared/journal/journal.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { RedisAddress } from '#shared/redis/connection.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import type { Seal } from '#shared/views/seal.ts';
import type { ViewStore } from '#shared/views/view-store.ts';
import { firstContact } from '../process/first-contact.ts';
import { redisAddressOf, type RedisSettings } from '../process/redis-address.ts';
import type { Logger } from '../process/telemetry.ts';
import type { DeliveryKeys } from './delivery-keys.ts';

export interface FunctionStoreSettings extends RedisSettings {
  readonly redisUrl?: string;
}

export interface FunctionStores {
  readonly journal: Journal;
  /** Absent without a key: nothing would show that the bridge wrote them. */
  readonly views?: { readonly store: ViewStore; readonly seal: Seal };
  close(): Promise<void>;
}

/** Do not wait longer for a view: the API server has the object too. Milliseconds. */
const viewTimeoutMs = 300;

/**
 * Waits for the API server, whose identity selects the stores. Without a URL, nothing is loaded or requested.
 */
export async function openFunctionStores(
  settings: FunctionStoreSettings,
  client: KubeClient,
  keys: DeliveryKeys | undefined,
  log: Logger,
): Promise<FunctionStores | undefined> {
  const { redisUrl: url, redisInsecure } = settings;
  if (url === undefined) {
    log.warn(
      'REDIS_URL is not set: decisions are not recorded, and everything is read from the API server',
    );
    return undefined;
  }
  const { requireSecureRedis } = await import('#shared/redis/transport.ts');
  requireSecureRedis(url, redisInsecure);
  const { createRedisJournal } = await import('#shared/journal/redis-journal.ts');
  // A signal in this phase ends the process: no work has begun.
  const uid = await firstContact(client, log, new AbortController().signal);
  if (uid === undefined) return undefined;
  const redis = { ...redisAddressOf(url, settings), log, prefix: redisPrefix(uid) };
  const journal = createRedisJournal(redis);
  const views = keys === undefined ? undefined : await openViews(redis, keys, uid);
  return {
    journal,
    ...(views === undefined ? {} : { views }),
    close: async () => {
      await Promise.all([journal.close(), views?.store.close()]);
    },
  };
}

async function openViews(
  redis: RedisAddress & { readonly log: Logger; readonly prefix: string },
  keys: DeliveryKeys,
  cluster: Uid,
): Promise<FunctionStores['views']> {
  const { createRedisViews } = await import('#shared/views/redis-views.ts');
  const { createSeal } = await import('#shared/views/seal.ts');
  return {
    store: createRedisViews({ ...redis, timeoutMs: viewTimeoutMs }),
    seal: createSeal(keys.current, cluster),
  };
}
