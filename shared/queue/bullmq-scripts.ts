/**
 * Steps that BullMQ's own commands do not do atomically. They use the clock of Redis, settle a wake-up
 * that arrived meanwhile, and recover from foreign writes. BullMQ's scripts are used unchanged, between a
 * prologue and an epilogue of ours.
 *
 * BullMQ computes due times with the clock of its caller. Here all of them use TIME, so that a process
 * with a wrong clock neither delays a job nor hurries it (queue-8).
 */
import { moveToActive } from 'bullmq/dist/esm/scripts/moveToActive-11.js';
import { moveToDelayed } from 'bullmq/dist/esm/scripts/moveToDelayed-11.js';
import { moveToFinished } from 'bullmq/dist/esm/scripts/moveToFinished-14.js';
import type { RedisScript } from '#shared/redis/script.ts';
import { forgetJob } from './parked-jobs.ts';

/** Each of BullMQ's scripts takes the time from ARGV[2]. */
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
 * The stored item may have been overwritten while it ran. The holder knows its content, so neither the
 * wake-up nor the postponed run is lost (queue-2, queue-4).
 */
const readable = `
local function isOf(text, identity)
  local isItem, found = pcall(function()
    local item = cjson.decode(text)
    return item['function'] .. '/' .. item.key.uid
  end)
  return isItem and found == identity
end
local function readable(text, identity, held)
  return isOf(text, identity) and text or held
end
`;

/**
 * Locks and returns the next due job. Counts the taken jobs, for the depth of the queue. KEYS: as for
 * BullMQ's moveToActive, and the count. ARGV: prefix of the keys, nothing, its options as JSON. Returns
 * the time in milliseconds and BullMQ's result: job, id, 0, when the next one is due.
 */
export const takeJob: RedisScript = {
  name: 'millraceTakeJob',
  numberOfKeys: moveToActive.keys + 1,
  lua: `
${timeOfServer}
ARGV[3] = cmsgpack.pack(cjson.decode(ARGV[3]))
${bullmqs(moveToActive.content)}
local taken = bullmq()
if taken[2] ~= 0 then redis.call('INCR', KEYS[${moveToActive.keys + 1}]) end
return { nowMs, taken }
`,
};

/**
 * Postpones or parks a job. BullMQ keeps a wake-up that arrived during the run until the job finishes.
 * This job does not finish, so the wake-up becomes its next run at once and its failures are kept (queue-2,
 * queue-4). Otherwise the wake-up would wait until the postponed time. If too many jobs are parked, the oldest
 * are dropped in the same step: a moment later one of them may have been woken.
 *
 * KEYS: as for BullMQ's moveToDelayed, and the stored wake-up. ARGV: as BullMQ's up to the ninth; then the
 * reason for parking or nothing, the score from which jobs are parked, how many of them are kept, the
 * names of the two fields of the parking, the held item, and its identity. Returns BullMQ's result: 0, or
 * a negative code if the job is not held any more.
 */
export const postponeJob: RedisScript = {
  name: 'millracePostponeJob',
  numberOfKeys: moveToDelayed.keys + 1,
  lua: `
${timeOfServer}
${readable}
${forgetJob}
${bullmqs(moveToDelayed.content)}
local moved = bullmq()
if moved ~= 0 then return moved end

local markerKey, delayedKey, jobKey, waitKey, wakeUpKey = KEYS[1], KEYS[4], KEYS[5], KEYS[9], KEYS[12]
local prefix, jobId = ARGV[1], ARGV[3]
local reason, parkedFrom, maxParked = ARGV[10], ARGV[11], tonumber(ARGV[12])
local held, identity = ARGV[15], ARGV[16]

local wakeUp = redis.call('HGET', wakeUpKey, 'data')
local data = wakeUp or redis.call('HGET', jobKey, 'data')
redis.call('HSET', jobKey, 'data', readable(data, identity, held))
if wakeUp then
  redis.call('HSET', jobKey, 'delay', 0)
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
for _, id in ipairs(oldest) do forgetJob(delayedKey, prefix, id) end
return 0
`,
};

/**
 * Finishes a job, and makes a job of the wake-up that arrived during its run (queue-2). BullMQ reads the
 * options of that wake-up after it has released the job and before it removes it. If a foreign write left
 * invalid JSON there, BullMQ's script breaks off in between. The same would happen in every later run
 * until another wake-up overwrites it. These options are always the same, so they are written anew. If
 * neither the wake-up nor the job is readable, both are dropped: the sweep finds their object.
 *
 * KEYS: as for BullMQ's moveToFinished. ARGV: as BullMQ's, its options as JSON; then the held item, or
 * nothing. Returns BullMQ's result: 0, or a negative code if the job is not held any more.
 */
export const finishJob: RedisScript = {
  name: 'millraceFinishJob',
  numberOfKeys: moveToFinished.keys,
  lua: `
${timeOfServer}
${readable}
ARGV[8] = cmsgpack.pack(cjson.decode(ARGV[8]))
local identity = redis.call('HGET', KEYS[12], 'deid')
local wakeUpKey = identity and ARGV[7] .. 'dn:' .. identity
if wakeUpKey and redis.call('EXISTS', wakeUpKey) == 1 then
  local data = readable(redis.call('HGET', wakeUpKey, 'data'), identity, ARGV[10])
  local opts = cjson.encode({ de = { id = identity, keepLastIfActive = true, reschedule = true } })
  if data == '' then
    redis.call('DEL', wakeUpKey)
  else
    redis.call('HSET', wakeUpKey, 'name', 'item', 'data', data, 'opts', opts)
  end
end
${bullmqs(moveToFinished.content)}
return bullmq()
`,
};

/**
 * For existing jobs whose items are added again: names the latest event in each, and puts it where it will
 * be taken. BullMQ adds no other job for an identity while one is stored. If a foreign write removed or
 * cut a line, a job in no line would swallow every wake-up for ever. Such a job goes to the end of the
 * line with its failures kept. If the list of active jobs was cut, a worker that still runs the job loses
 * its lease to the next worker.
 *
 * A long line is not searched, because a search takes time in proportion to its length. A missing job is
 * found when its item is added again and the line is shorter; the sweep does this.
 *
 * KEYS: wait, active, delayed, marker. ARGV: prefix of the keys, length of the longest line that is
 * searched, then id and item of each job. Returns how many were in no line.
 */
export const wakeJobs: RedisScript = {
  name: 'millraceWakeJobs',
  numberOfKeys: 4,
  lua: `
local waitKey, activeKey, delayedKey, markerKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local prefix, longestSearched = ARGV[1], tonumber(ARGV[2])

local function isInLine(id)
  if redis.call('ZSCORE', delayedKey, id) or redis.call('LPOS', activeKey, id) then return true end
  return redis.call('LLEN', waitKey) > longestSearched or redis.call('LPOS', waitKey, id)
end

local lost = 0
for index = 3, #ARGV, 2 do
  local id, item = ARGV[index], ARGV[index + 1]
  local jobKey = prefix .. id
  -- One that is gone has finished meanwhile: its successor carries the event.
  if redis.call('EXISTS', jobKey) == 1 then
    redis.call('HSET', jobKey, 'data', item)
    if not isInLine(id) then
      redis.call('HSET', jobKey, 'delay', 0)
      redis.call('LPUSH', waitKey, id)
      redis.call('ZADD', markerKey, 0, '0')
      lost = lost + 1
    end
  end
end
return lost
`,
};
