/**
 * Parked items are delayed jobs that never become due. A fresh event makes a delayed job due now, so it
 * also runs a parked one again, with its failures kept. The place in the delayed set is the only
 * record, so an item is never parked and queued at once (queue-1, queue-6).
 */
import type { Redis } from 'ioredis';
import type { RedisScript } from '#shared/redis/script.ts';
import { parseJson, parseWorkItem } from './stored-item.ts';
import type { ParkedItem } from './work-queue.ts';

/**
 * Delay of a parked job in milliseconds. Every job that is due after this time counts as parked: 1
 * January 2100, so that no clock is needed.
 */
export const parkedFromMs = 4_102_444_800_000;

/** BullMQ's delayed set uses the due time in milliseconds times this as score. */
export const scorePerMs = 4_096;

/** Exact, because it is a multiple of the rounding of scores of this size. */
export const parkedFromScore = String(BigInt(parkedFromMs) * BigInt(scorePerMs));

export const parkedFields = { reason: 'millraceParkedFor', atMs: 'millraceParkedAt' } as const;

/** The keys of one function's queue: `keyOf('wait')`. */
export type KeyOf = (type: string) => string;

/** Removes a job that is only in the delayed line, and the key that deduplicates its identity. */
export const forgetJob = `
local function forgetJob(delayedKey, prefix, id)
  local identity = redis.call('HGET', prefix .. id, 'deid')
  redis.call('ZREM', delayedKey, id)
  redis.call('DEL', prefix .. id)
  if identity and redis.call('GET', prefix .. 'de:' .. identity) == id then
    redis.call('DEL', prefix .. 'de:' .. identity)
  end
end
`;

/**
 * Removes the job of an identity if it is parked. KEYS: delayed. ARGV: prefix of the keys, the score
 * from which jobs are parked, the identity. Returns 1 if it was parked, else 0.
 */
export const dropParkedJob: RedisScript = {
  name: 'millraceDropParkedJob',
  numberOfKeys: 1,
  lua: `
${forgetJob}
local id = redis.call('GET', ARGV[1] .. 'de:' .. ARGV[3])
local score = id and redis.call('ZSCORE', KEYS[1], id)
if not score or tonumber(score) < tonumber(ARGV[2]) then return 0 end
forgetJob(KEYS[1], ARGV[1], id)
return 1
`,
};

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
