import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { CoalescingRedis } from './coalescing-redis.ts';
import type { RedisLog } from './log.ts';
import { outageLogOf } from './outage-log.ts';
import { requireSecureRedis } from './transport.ts';

/**
 * `producer`: a command fails when the connection is lost, so that the caller can stop reading.
 * `worker`: a command waits for the connection to come back (BullMQ demands it of its workers).
 */
export type RedisRole = 'producer' | 'worker';

/** Where a server is, and how it is reached. */
export interface RedisAddress {
  /** `redis://` or `rediss://`. */
  readonly url: string;
  /** Whether an address beyond this machine may be reached without TLS. Default false. */
  readonly insecure?: boolean;
  /** File with the authorities of its certificate, PEM; absent, or where there is none: those of the system. */
  readonly caFile?: string;
}

export interface RedisConnectOptions extends Omit<RedisAddress, 'url'> {
  readonly role: RedisRole;
  readonly log: RedisLog;
}

const firstRetryMs = 50;
const lastRetryMs = 1_000;

/** A dead peer is noticed after this long without an answer; half-open connections end here. */
const silenceMs: Record<RedisRole, number> = {
  producer: 5_000,
  // Above the 10 s that BullMQ blocks for the next job on a duplicate of this connection.
  worker: 30_000,
};

/**
 * Connects in the background and keeps reconnecting for ever; `redis://` or `rediss://` (TLS).
 * The client has an error listener that logs at most every 10 s: an outage never crashes a process.
 * Throws MR_REDIS_INSECURE; a process that asks for that at its start hears it before it connects.
 */
export function connectRedis(url: string, options: RedisConnectOptions): Redis {
  const { role, log, insecure, caFile } = options;
  requireSecureRedis(url, insecure);
  const client = new CoalescingRedis(url, { ...optionsFor(role), ...trusting(url, caFile) });
  const address = addressOf(client);
  const outage = outageLogOf(log, address);
  client.on('error', (error: Error) => outage.failed(client, error));
  client.on('ready', () => outage.works(client));
  client.on('end', () => outage.closed(client));
  return client;
}

/** Host and port, for messages: never the password. */
export function addressOf(client: Redis): string {
  const { host, port, path } = client.options;
  return path ?? `${host ?? '127.0.0.1'}:${port ?? 6379}`;
}

/** Resolves when the client is connected; rejects when `signal` aborts. */
export async function whenReady(client: Redis, signal: AbortSignal): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const settle = (finish: () => void) => () => {
      client.off('ready', onReady);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onReady = settle(resolve);
    const onAbort = settle(() => reject(new Error('not connected')));
    // One listener per waiting call is intended and bounded by the callers' deadlines.
    client.setMaxListeners(0);
    client.once('ready', onReady);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/** Says good-bye when connected, otherwise just closes; never rejects, never waits for a server. */
export async function closeRedis(client: Redis, graceMs = 500): Promise<void> {
  if (client.status === 'ready') {
    const timer = setTimeout(() => client.disconnect(), graceMs);
    await client.quit().catch(() => undefined);
    clearTimeout(timer);
  }
  client.disconnect();
}

/**
 * The file is read by each connection anew, since an authority may have been replaced meanwhile. One that is not
 * there makes nobody trusted who would not be in any case.
 */
function trusting(url: string, caFile: string | undefined) {
  if (caFile === undefined || !url.startsWith('rediss:')) return {};
  const tls = {};
  // The client copies its own properties each time that it connects.
  Object.defineProperty(tls, 'ca', { enumerable: true, get: () => contentOf(caFile) });
  return { tls };
}

function contentOf(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

function optionsFor(role: RedisRole) {
  return {
    connectionName: `millrace-${role}`,
    // A server before 7.2 knows no right to set the name of a library, and refuses users who have it.
    disableClientInfo: true,
    maxRetriesPerRequest: role === 'worker' ? null : 0,
    enableOfflineQueue: role === 'worker',
    socketTimeout: silenceMs[role],
    connectTimeout: 5_000,
    keepAlive: 10_000,
    retryStrategy: (times: number) =>
      Math.min(firstRetryMs * 2 ** Math.min(times, 10), lastRetryMs),
  };
}
