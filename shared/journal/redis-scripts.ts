/** What the journal does in one step. All keys share a hash tag, so they live on one node. */

/**
 * Appends records, events only when their id was not seen lately; drops what is too old.
 * KEYS: stream, then per record the key of its event id (or the stream again when it has none).
 * ARGV: entries to keep, oldest id to keep, seconds to remember an event id, the records.
 */
export const appendRecords = {
  name: 'millraceAppendRecords',
  lua: `
for index = 4, #ARGV do
  local seen = KEYS[index - 2]
  if seen == KEYS[1] or redis.call('SET', seen, '1', 'NX', 'EX', ARGV[3]) then
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'record', ARGV[index])
  end
end
redis.call('XTRIM', KEYS[1], 'MINID', '~', ARGV[2])
`,
} as const;

/**
 * Stores an immutable value once, marks it as used and drops those unused for longest.
 * KEYS: the value, the index of last use. ARGV: hash, value, now in ms, seconds to keep, how many
 * to keep, prefix of all values.
 */
export const putContent = {
  name: 'millracePutContent',
  numberOfKeys: 2,
  lua: `
if redis.call('EXPIRE', KEYS[1], ARGV[4]) == 0 then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[4])
end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[4])
local surplus = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[5])
if surplus > 0 then
  local unused = redis.call('ZPOPMIN', KEYS[2], surplus)
  for index = 1, #unused, 2 do redis.call('DEL', ARGV[6] .. unused[index]) end
end
`,
} as const;
