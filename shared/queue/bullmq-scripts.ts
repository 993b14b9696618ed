/**
 * What BullMQ's own commands cannot do in one step: to go by the clock of Redis, to settle what came
 * meanwhile, and to go on with what somebody else wrote to. Where a script is BullMQ's it is as it
 * is, between a beginning and an end of ours.
 *
 * BullMQ reckons when a job is due with the clock of its caller. Here all of it is reckoned with
 * TIME, so that a process whose clock is off neither keeps a job nor hurries it (Q8).
 */
import { moveToActive } from 'bullmq/dist/esm/scripts/moveToActive-11.js';
import { moveToDelayed } from 'bullmq/dist/esm/scripts/moveToDelayed-11.js';
import { moveToFinished } from 'bullmq/dist/esm/scripts/moveToFinished-14.js';
import type { RedisScript } from '#shared/redis/script.ts';
import { forgetJob } from './parked-jobs.ts';

/** BullMQ takes the time from ARGV[2], in each of its scripts. */
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
 * What is stored under the name of an item may have been overwritten while it ran. Its holder
 * knows what it was: the wake-up, and the run that was put off, are not lost then (Q2, Q4).
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
 * The next job that is due, locked.
 * Counts what was taken, for the depth of the queue.
 * KEYS as of BullMQ's moveToActive, and the count. ARGV: prefix of the keys, nothing, its options as JSON.
 * Returns the time in milliseconds and what BullMQ's returns: job, id, 0, when the next one is due.
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
 * Puts a job off or aside. A wake-up that arrived while it ran is kept by BullMQ for when it
 * finishes; here it did not finish, so the wake-up becomes its next run at once, with its failures
 * kept (Q2, Q4): it would sleep until the postponed time otherwise. In the same step the oldest
 * parked jobs give way, when there are too many: a moment later one of them may have been woken.
 *
 * KEYS as of BullMQ's moveToDelayed, and the stored wake-up. ARGV as of BullMQ's up to the ninth;
 * then the reason for which it is parked or nothing, the score from which jobs are parked, how many
 * of them are kept, the names of the two fields of the parking, the item that was held, and
 * its identity.
 * Returns what BullMQ's returns: 0, or a negative code when the job is not held any more.
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
 * Ends a job, and makes a job of the wake-up that arrived while it ran (Q2). BullMQ reads the options
 * of the wake-up after it has let go of the job and before it removes it. If somebody wrote there
 * what is no JSON, its script breaks off in between, and so it does at the end of every later run
 * until another wake-up overwrites that one. What it needs of these options is always the same, so
 * they are written anew. A wake-up that nobody can read goes with a job that nobody could read: the
 * sweep finds what it was about.
 *
 * KEYS as of BullMQ's moveToFinished. ARGV as of BullMQ's, its options as JSON; then the item that
 * was held, or nothing.
 * Returns what BullMQ's returns: 0, or a negative code when the job is not held any more.
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
 * For jobs that are there already when their items are asked for: each is to name the event that
 * asked last, and to be where it will be taken. As long as the job of an identity is stored, BullMQ
 * adds no other; one that is in none of the lines, since somebody removed or cut a line, would
 * swallow every wake-up for ever. It goes to the end of the line, with its failures kept. A worker that
 * still runs it, when the list of what runs was cut, loses the lease to the next.
 *
 * A long line is not searched, since that takes as long as the line: what is missing there is found
 * when it is asked for again and the line is shorter, for which the sweep cares.
 *
 * KEYS: wait, active, delayed, marker. ARGV: prefix of the keys, length of the longest line that is
 * searched, then id and item of each job.
 * Returns how many were in no line.
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
