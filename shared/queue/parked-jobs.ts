/**
 * Parked items are delayed jobs whose time is never. So a fresh event, which pulls a delayed job to
 * now, makes one run again with its failures kept, and it can never be parked and queued at once:
 * its place in the delayed set is the only record (Q1, Q6).
 */
import type { Redis } from 'ioredis';
import { parseJson, parseWorkItem } from './stored-item.ts';
import type { ParkedItem } from './work-queue.ts';

/**
 * A parked job is due this long after it was parked, in milliseconds, and whatever is due after
 * this time is parked: 1 January 2100, so that no clock has to be asked.
 */
export const parkedFromMs = 4_102_444_800_000;

/** BullMQ's delayed set scores a job by its due time in milliseconds times this. */
export const scorePerMs = 4_096;

/** Exact, since it is a multiple of what scores of this size are rounded to. */
export const parkedFromScore = String(BigInt(parkedFromMs) * BigInt(scorePerMs));

export const parkedFields = { reason: 'millraceParkedFor', atMs: 'millraceParkedAt' } as const;

/** The keys of one function's queue: `keyOf('wait')`. */
export type KeyOf = (type: string) => string;

/** The oldest first. */
export async function readParked(
  redis: Redis,
  keyOf: KeyOf,
  functionName: string,
): Promise<readonly ParkedItem[]> {
  const ids = await redis.zrangebyscore(keyOf('delayed'), parkedFromScore, '+inf');
  const stored = await Promise.all(
    ids.map((id) => redis.hmget(keyOf(id), 'data', parkedFields.reason, parkedFields.atMs)),
  );
  return stored.flatMap(([data, reason, atMs]) => {
    const item = parseWorkItem(parseJson(data), functionName);
    return item === undefined ? [] : [{ item, reason: reason ?? '', parkedAtMs: Number(atMs) }];
  });
}
