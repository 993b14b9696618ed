/** Parts that are stopped during the work and started again. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as RedisClient } from 'ioredis';
import type { Cluster } from '../cluster-parts.ts';
import type { Redis } from '../redis.ts';
import type { ProductProcesses } from './product-processes.ts';

export interface Parts {
  readonly cluster: Cluster;
  readonly redis: Redis;
  readonly product: ProductProcesses;
}

export interface PartFault {
  readonly name: string;
  /** Stops the part. */
  readonly take: (parts: Parts) => Promise<void>;
  /** Starts it again and returns when it answers. Absent: the part was never stopped. */
  readonly bringBack?: (parts: Parts) => Promise<void>;
  /** A killed API server may have stored writes that it did not log. */
  readonly isLogComplete?: false;
}

/** A part is stopped for this time, in milliseconds. */
const awayMs = 1_000;

export const redisFlushed: PartFault = {
  name: 'FLUSHALL',
  take: async ({ redis }) => {
    const client = new RedisClient(redis.url);
    await client.flushall();
    await client.quit();
  },
};

export const redisEmptied: PartFault = {
  name: 'SIGKILL of Redis, which comes back empty',
  take: async ({ redis }) => {
    await redis.kill();
    await rm(join(redis.folder, 'appendonlydir'), { recursive: true });
  },
  bringBack: ({ redis }) => redis.restart(),
};

export const redisKilled: PartFault = {
  name: 'SIGKILL of Redis, which comes back with its data',
  take: ({ redis }) => redis.kill(),
  bringBack: ({ redis }) => redis.restart(),
};

export const apiServerKilled: PartFault = {
  name: 'SIGKILL of the API server',
  take: ({ cluster }) => cluster.kill('kube-apiserver'),
  bringBack: ({ cluster }) => cluster.startComponent('kube-apiserver'),
  isLogComplete: false,
};

export function killOf(name: string): PartFault {
  return {
    name: `SIGKILL of ${name}`,
    take: ({ product }) => product.kill(name),
    bringBack: ({ product }) => product.start(name),
  };
}

export interface Outage {
  /** When the part was started again (Unix time). Its start-up counts as recovery. */
  readonly endedAtMs: number;
  readonly answersAfterMs: number;
}

export async function strike({ take, bringBack }: PartFault, parts: Parts): Promise<Outage> {
  await take(parts);
  if (bringBack === undefined) return { endedAtMs: Date.now(), answersAfterMs: 0 };
  await sleep(awayMs);
  const endedAtMs = Date.now();
  await bringBack(parts);
  return { endedAtMs, answersAfterMs: Date.now() - endedAtMs };
}
