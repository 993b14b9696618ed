import type { RedisScript, RunScript } from '#shared/redis/script.ts';
import { type KeyOf, parkedFromScore, scorePerMs } from './parked-jobs.ts';
import type { QueueDepth } from './work-queue.ts';

/** Millrace's own keys, beside those of BullMQ. */
export const depthKeys = { taken: 'millraceTaken', marks: 'millraceMarks' } as const;

/**
 * The smallest gap between two marks, absolute and relative to the longest wait. It bounds their
 * number.
 */
const shortestGapMs = 1_000;
const gapsPerWait = 100;

/**
 * The number of jobs in each state, by the clock of Redis. A due job moves to the waiting ones only
 * with the next fetch, but counts as waiting before that.
 *
 * Jobs do not record when they joined the line, because many of BullMQ's commands can put them there.
 * The line is first in, first out, so marks give the wait. A mark is a time with the number of jobs
 * that will have been taken once all that waited then are taken. At the time of the first mark that is
 * not reached yet, the next job was already waiting. Every process that reads the depth leaves marks. A
 * job that returns to the head of the line because its worker died waits anew.
 *
 * KEYS: wait, active, delayed, how many were taken, the marks. ARGV: the score from which jobs are
 * parked, scores per millisecond, the shortest gap of marks in milliseconds, gaps per wait. Returns the
 * numbers of waiting, active, delayed and parked jobs, and the wait in milliseconds or -1.
 */
export const countJobs: RedisScript = {
  name: 'millraceCountJobs',
  numberOfKeys: 5,
  lua: `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZCOUNT', KEYS[3], '-inf', string.format('%d', (nowMs + 1) * ARGV[2] - 1))
local parked = redis.call('ZCOUNT', KEYS[3], ARGV[1], '+inf')
local waiting = redis.call('LLEN', KEYS[1]) + due
local delayed = redis.call('ZCARD', KEYS[3]) - due - parked

local function longestWaitMs()
  if waiting == 0 then
    redis.call('DEL', KEYS[5])
    return -1
  end
  local taken = tonumber(redis.call('GET', KEYS[4])) or 0
  local last = string.format('%d', taken + waiting)
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', string.format('%d', taken))
  -- The line was cut from outside.
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '(' .. last, '+inf')
  local first = redis.call('ZRANGE', KEYS[5], 0, 0)[1]
  local newest = redis.call('ZRANGE', KEYS[5], -1, -1, 'WITHSCORES')
  local sinceMs = tonumber(first) or nowMs
  local gapMs = math.max(tonumber(ARGV[3]), (nowMs - sinceMs) / ARGV[4])
  if not first or (newest[2] ~= last and nowMs - newest[1] >= gapMs) then
    redis.call('ZADD', KEYS[5], last, string.format('%d', nowMs))
  end
  return math.max(0, nowMs - sinceMs)
end

return { waiting, redis.call('LLEN', KEYS[2]), delayed, parked, longestWaitMs() }
`,
};

/** `count`: {@link countJobs}, registered on a connection. */
export async function readDepth(count: RunScript, keyOf: KeyOf): Promise<QueueDepth> {
  const keys = ['wait', 'active', 'delayed', depthKeys.taken, depthKeys.marks].map(keyOf);
  const counted = await count(...keys, parkedFromScore, scorePerMs, shortestGapMs, gapsPerWait);
  const [waiting, running, delayed, parked, oldestWaitMs] = counted as Counted;
  const depth = { waiting, running, delayed, parked };
  return oldestWaitMs < 0 ? depth : { ...depth, oldestWaitMs };
}

type Counted = readonly [
  waiting: number,
  running: number,
  delayed: number,
  parked: number,
  oldestWaitMs: number,
];
