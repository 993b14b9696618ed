/**
 * Runs in one transaction with the move of a job from active to delayed. A wake-up that arrived
 * while the job ran is kept by BullMQ for when it finishes; here it did not finish, so the wake-up
 * becomes this job's next run at once, with its failures kept (Q2, Q4). Without it the wake-up
 * would sleep until the postponed time.
 *
 * KEYS: delayed set, marker, job, stored wake-up. ARGV: job id, now in milliseconds.
 */
export const wakePostponed = {
  name: 'millraceWakePostponed',
  numberOfKeys: 4,
  lua: `
local wakeUp = redis.call('HGET', KEYS[4], 'data')
if not wakeUp or not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('HSET', KEYS[3], 'data', wakeUp, 'delay', 0)
redis.call('DEL', KEYS[4])
redis.call('ZADD', KEYS[1], tonumber(ARGV[2]) * 4096, ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2], '1')
return 1
`,
} as const;
