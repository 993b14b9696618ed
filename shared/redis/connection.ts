import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { CoalescingRedis } from './coalescing-redis.ts';
import type { RedisLog } from './log.ts';
import { outageLogOf } from './outage-log.ts';
import { requireSecureRedis } from './transport.ts';

/**
 * `producer`: a command fails when the connection is lost, so that the caller can stop reading. `worker`: a
 * command waits for the connection to return (BullMQ requires this of its workers).
 */
export type RedisRole = 'producer' | 'worker';

/** The address of a server and how to connect. */
export interface RedisAddress {
  /** `redis://` or `rediss://`. */
  readonly url: string;
  /** Whether an address beyond this machine may be used without TLS. Default false. */
  readonly insecure?: boolean;
  /** File with the authorities of its certificate, PEM. Absent or missing: those of the system. */
  readonly caFile?: string;
}

export interface RedisConnectOptions extends Omit<RedisAddress, 'url'> {
  readonly role: RedisRole;
  readonly log: RedisLog;
}

const firstRetryMs = 50;
const lastRetryMs = 1_000;

/** A peer that is silent for this time counts as dead, in milliseconds. This ends half-open connections. */
const silenceMs: Record<RedisRole, number> = {
  producer: 5_000,
  // Above the 10 s for which BullMQ blocks on a duplicate of this connection.
  worker: 30_000,
};

/**
 * Connects in the background and reconnects for ever; `redis://` or `rediss://` (TLS). The client's error
 * listener logs at most every 10 s, so an outage never crashes a process. Throws MR_REDIS_INSECURE, before
 * anything is connected.
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

/** Host and port for messages, never the password. */
export function addressOf(client: Redis): string {
  const { host, port, path } = client.options;
  return path ?? `${host ?? '127.0.0.1'}:${port ?? 6379}`;
}

/** Resolves when the client is connected. Rejects when `signal` aborts. */
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
    // Each waiting call has a listener; the callers' time limits bound their number.
    client.setMaxListeners(0);
    client.once('ready', onReady);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/** Sends QUIT if connected, else just closes. Never rejects and never waits for a server. */
export async function closeRedis(client: Redis, graceMs = 500): Promise<void> {
  if (client.status === 'ready') {
    const timer = setTimeout(() => client.disconnect(), graceMs);
    await client.quit().catch(() => undefined);
    clearTimeout(timer);
  }
  client.disconnect();
}

/**
 * Each connection reads the file again, because the authority may have been replaced. A missing file adds no
 * trusted authority.
 */
function trusting(url: string, caFile: string | undefined) {
  if (caFile === undefined || !url.startsWith('rediss:')) return {};
  const tls = {};
  // The client copies its own properties at each connection.
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
    // A server before 7.2 has no right for setting a library's name, and refuses users with it.
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
