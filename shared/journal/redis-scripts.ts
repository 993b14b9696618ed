/** The atomic steps of the journal. All keys share a hash tag, so they are on one node. */

/**
 * Appends records, but events only if their id is new; drops the oldest entries at a bound. Returns the id of
 * each record's entry ('' for a repeat), the id of the oldest entry ('' if none), and how many entries it
 * dropped for lack of memory.
 *
 * The second part of an entry's id is the number of bytes appended up to its end. So the oldest and the newest
 * id give the size, even if something else dropped entries.
 *
 * At its `maxmemory` a server refuses writes that may grow, unless the script has written before. So the oldest
 * tenth is dropped first, which also makes room for the queue.
 *
 * KEYS: stream, then per record the key of its event id (or the stream again when it has none). ARGV: entries to
 * keep, milliseconds to keep, bytes to keep, seconds to remember an event id, the records.
 */
export const appendRecords = {
  name: 'millraceAppendRecords',
  lua: `
local stream = KEYS[1]
local maxEntries, maxAgeMs, maxBytes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local givenUp = 0

local function keep(length)
  return redis.call('XTRIM', stream, 'MAXLEN', math.max(0, math.floor(length)))
end
local function store(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  if string.find(reply.err, 'OOM', 1, true) then
    givenUp = givenUp + keep(redis.call('XLEN', stream) * 0.9)
  end
  return redis.call(...)
end
local function split(id)
  local ms, bytes = string.match(id, '(%d+)-(%d+)')
  return tonumber(ms), tonumber(bytes)
end
local function lastId()
  local newest = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  if newest then return newest[1] end
  if redis.call('EXISTS', stream) == 0 then return '0-0' end
  local info = redis.call('XINFO', 'STREAM', stream)
  for index = 1, #info, 2 do
    if info[index] == 'last-generated-id' then return info[index + 1] end
  end
end

local time = redis.call('TIME')
local nowMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local lastMs, total = split(lastId())
lastMs = math.max(lastMs, nowMs)
local added = {}
for index = 5, #ARGV do
  local seen = KEYS[index - 3]
  local id = ''
  if seen == stream or store('SET', seen, '1', 'NX', 'EX', ARGV[4]) then
    total = total + #ARGV[index]
    id = string.format('%.0f-%.0f', lastMs, total)
    store('XADD', stream, id, 'record', ARGV[index])
  end
  added[index - 4] = id
end

redis.call('XTRIM', stream, 'MAXLEN', '~', maxEntries)
redis.call('XTRIM', stream, 'MINID', '~', string.format('%.0f', math.max(0, nowMs - maxAgeMs)))
local oldest
while true do
  oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  if not oldest then break end
  local _, upTo = split(oldest[1])
  local bytes = total - upTo + #oldest[2][2]
  if bytes <= maxBytes then break end
  local length = redis.call('XLEN', stream)
  local surplus = math.floor(length * (bytes - maxBytes) / bytes / 2)
  keep(length - math.max(1, surplus))
end
return { added, oldest and oldest[1] or '', givenUp }
`,
} as const;
