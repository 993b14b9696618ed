/**
 * What BullMQ's own commands cannot do in one step: to go by the clock of Redis, and to settle what
 * came meanwhile. Each script is BullMQ's as it is, between a beginning and an end of ours.
 *
 * BullMQ reckons when a job is due with the clock of whoever calls. Here all of it is reckoned with
 * TIME, so that a process whose clock is off neither keeps a job nor hurries it (Q8).
 */
import { moveToActive } from 'bullmq/dist/esm/scripts/moveToActive-11.js';
import { moveToDelayed } from 'bullmq/dist/esm/scripts/moveToDelayed-11.js';
import type { RedisScript } from '#shared/redis/script.ts';

/** BullMQ takes the time from ARGV[2], in both scripts. */
const timeOfServer = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
ARGV[2] = string.format('%d', nowMs)
`;

const bullmqs = (content: string): string => `
local function bullmq()
${content}
end
`;

/**
 * The next job that is due, locked.
 * KEYS as of BullMQ's moveToActive. ARGV: prefix of the keys, nothing, its options as JSON.
 * Returns the time in milliseconds and what BullMQ's returns: job, id, 0, when the next one is due.
 */
export const takeJob: RedisScript = {
  name: 'millraceTakeJob',
  numberOfKeys: moveToActive.keys,
  lua: `
${timeOfServer}
ARGV[3] = cmsgpack.pack(cjson.decode(ARGV[3]))
${bullmqs(moveToActive.content)}
return { nowMs, bullmq() }
`,
};

/**
 * Puts a job off or aside. A wake-up that arrived while it ran is kept by BullMQ for when it
 * finishes; here it did not finish, so the wake-up becomes its next run at once, with its failures
 * kept (Q2, Q4): it would sleep until the postponed time otherwise. In the same step the oldest
 * parked jobs give way, when there are too many: a moment later one of them may have been woken.
 *
 * KEYS as of BullMQ's moveToDelayed, and the stored wake-up. ARGV as of BullMQ's up to the tenth;
 * then the reason for which it is parked or nothing, the score from which jobs are parked, how many
 * of them are kept, and the names of the two fields that tell of the parking.
 * Returns what BullMQ's returns: 0, or a negative code when the job is not held any more.
 */
export const postponeJob: RedisScript = {
  name: 'millracePostponeJob',
  numberOfKeys: moveToDelayed.keys + 1,
  lua: `
${timeOfServer}
${bullmqs(moveToDelayed.content)}
local moved = bullmq()
if moved ~= 0 then return moved end

local markerKey, delayedKey, jobKey, waitKey, wakeUpKey = KEYS[1], KEYS[4], KEYS[5], KEYS[9], KEYS[12]
local prefix, jobId = ARGV[1], ARGV[3]
local reason, parkedFrom, maxParked = ARGV[10], ARGV[11], tonumber(ARGV[12])

local wakeUp = redis.call('HGET', wakeUpKey, 'data')
if wakeUp then
  redis.call('HSET', jobKey, 'data', wakeUp, 'delay', 0)
  redis.call('DEL', wakeUpKey)
  redis.call('ZREM', delayedKey, jobId)
  redis.call('LPUSH', waitKey, jobId)
  redis.call('ZADD', markerKey, 0, '0')
  return 0
end

if reason == '' then return 0 end
redis.call('HSET', jobKey, ARGV[13], reason, ARGV[14], nowMs)
local surplus = redis.call('ZCOUNT', delayedKey, parkedFrom, '+inf') - maxParked
if surplus <= 0 then return 0 end
local oldest = redis.call('ZRANGEBYSCORE', delayedKey, parkedFrom, '+inf', 'LIMIT', 0, math.min(surplus, 1000))
for _, id in ipairs(oldest) do
  local identity = redis.call('HGET', prefix .. id, 'deid')
  redis.call('ZREM', delayedKey, id)
  redis.call('DEL', prefix .. id)
  if identity and redis.call('GET', prefix .. 'de:' .. identity) == id then
    redis.call('DEL', prefix .. 'de:' .. identity)
  end
end
return 0
`,
};
