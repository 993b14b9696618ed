import type { RedisScript, RunScript } from '#shared/redis/script.ts';
import { type KeyOf, parkedFromScore, scorePerMs } from './parked-jobs.ts';
import type { QueueDepth } from './work-queue.ts';

/**
 * How many jobs are in which state, by the clock of Redis. A job whose time has come is moved to the
 * waiting ones only when somebody fetches; it counts as waiting before that.
 * KEYS: wait, active, delayed. ARGV: the score from which jobs are parked, scores per millisecond.
 */
export const countJobs: RedisScript = {
  name: 'millraceCountJobs',
  numberOfKeys: 3,
  lua: `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZCOUNT', KEYS[3], '-inf', string.format('%d', (nowMs + 1) * ARGV[2] - 1))
local parked = redis.call('ZCOUNT', KEYS[3], ARGV[1], '+inf')
local waiting = redis.call('LLEN', KEYS[1]) + due
local delayed = redis.call('ZCARD', KEYS[3]) - due - parked
return { waiting, redis.call('LLEN', KEYS[2]), delayed, parked }
`,
};

/** `count`: {@link countJobs}, defined on a connection. */
export async function readDepth(count: RunScript, keyOf: KeyOf): Promise<QueueDepth> {
  const keys = ['wait', 'active', 'delayed'].map(keyOf);
  const counted = await count(...keys, parkedFromScore, scorePerMs);
  const [waiting, running, delayed, parked] = counted as readonly [number, number, number, number];
  return { waiting, running, delayed, parked };
}
