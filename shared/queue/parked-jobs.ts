/**
 * Parked items are delayed jobs whose time is years away. So a fresh event, which pulls a delayed
 * job to now, makes one run again with its failures kept, and it can never be parked and queued at
 * once: its place in the delayed set is the only record (Q1, Q6).
 */
import type { Redis } from 'ioredis';
import { parseWorkItem } from './stored-item.ts';
import type { ParkedItem, QueueDepth } from './work-queue.ts';

const yearMs = 365 * 24 * 3_600_000;
/** A parked job is due this long after it was parked; nothing else is postponed beyond a year. */
const parkedForMs = 10 * yearMs;

/** BullMQ's delayed set scores a job by its due time in milliseconds times this. */
const scorePerMs = 4_096;

export const parkedFields = { reason: 'millraceParkedFor', atMs: 'millraceParkedAt' } as const;

/** The keys of one function's queue: `keyOf('wait')`. */
export type KeyOf = (type: string) => string;

export function parkedUntilMs(nowMs: number): number {
  return nowMs + parkedForMs;
}

export async function readDepth(redis: Redis, keyOf: KeyOf, nowMs: number): Promise<QueueDepth> {
  const [waiting, running, due, parked, delayed] = await Promise.all([
    redis.llen(keyOf('wait')),
    redis.llen(keyOf('active')),
    redis.zcount(keyOf('delayed'), 0, (nowMs + 1) * scorePerMs - 1),
    redis.zcount(keyOf('delayed'), firstParkedScore(nowMs), '+inf'),
    redis.zcard(keyOf('delayed')),
  ]);
  // A job whose time has come is moved to the waiting ones only when somebody fetches.
  return { waiting: waiting + due, running, delayed: delayed - due - parked, parked };
}

/** The oldest first. */
export async function readParked(
  redis: Redis,
  keyOf: KeyOf,
  functionName: string,
  nowMs: number,
): Promise<readonly ParkedItem[]> {
  const ids = await redis.zrangebyscore(keyOf('delayed'), firstParkedScore(nowMs), '+inf');
  const stored = await Promise.all(
    ids.map((id) => redis.hmget(keyOf(id), 'data', parkedFields.reason, parkedFields.atMs)),
  );
  return stored.flatMap(([data, reason, atMs]) => {
    const item = parseWorkItem(parseJson(data), functionName);
    return item === undefined ? [] : [{ item, reason: reason ?? '', parkedAtMs: Number(atMs) }];
  });
}

/** The oldest parked jobs beyond `maxParked`. */
export async function surplusParked(
  redis: Redis,
  keyOf: KeyOf,
  nowMs: number,
  maxParked: number,
): Promise<readonly string[]> {
  const from = firstParkedScore(nowMs);
  const count = await redis.zcount(keyOf('delayed'), from, '+inf');
  const surplus = count - maxParked;
  return surplus > 0
    ? redis.zrangebyscore(keyOf('delayed'), from, '+inf', 'LIMIT', 0, surplus)
    : [];
}

function firstParkedScore(nowMs: number): number {
  return (nowMs + 2 * yearMs) * scorePerMs;
}

function parseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
