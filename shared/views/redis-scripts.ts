/** The atomic steps of the views. All keys share a hash tag, so they are on one node. */
import { anotherHistory } from './view-store.ts';

/**
 * Begins or prolongs a session. Returns 1 if it holds the store.
 *
 * KEYS: session. ARGV: the session, how long it lasts in milliseconds, 1 to take over.
 */
export const holdViews = {
  name: 'millraceHoldViews',
  numberOfKeys: 1,
  lua: `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] and ARGV[3] ~= '1' then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`,
} as const;

/** Ends a session that holds the store. KEYS: session. ARGV: the session; empty: any session. */
export const releaseViews = {
  name: 'millraceReleaseViews',
  numberOfKeys: 1,
  lua: `
if ARGV[1] == '' or redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`,
} as const;

/** Whether the root's content from before this session is of another history. */
const isOfBefore = `
local function isOfBefore(former, session)
  return string.sub(session, -${anotherHistory.length}) == '${anotherHistory}' and former and former ~= ''
end
`;

/**
 * Writes to roots. Returns the indexes of missing roots, or -1 if the session does not hold the store. An entry is
 * stored as its version, a blank and its content, or as its version alone if the object is gone. Fields that begin
 * with a dot are no entries. Those that begin with a tilde are notes, which a new life keeps unless its session is
 * of another history. A root that lost its session on purpose has an empty one.
 *
 * KEYS: session, then per root its entries (hash) and their order (sorted set). ARGV: the session, how long an
 * unused root stays in milliseconds, how many deleted entries it keeps; then per root 1 if it is whole, how many
 * entries follow, and per entry its key and value.
 */
export const writeViews = {
  name: 'millraceWriteViews',
  lua: `
local session, unusedMs, mostGone = ARGV[1], ARGV[2], tonumber(ARGV[3])
if redis.call('GET', KEYS[1]) ~= session then return -1 end

local function isDecimal(version)
  return string.find(version, '^%d+$')
end
local function isNewer(left, right)
  if not isDecimal(left) or not isDecimal(right) then return left ~= right end
  if #left ~= #right then return #left > #right end
  return left > right
end
local function replaces(value, held)
  local version, heldVersion = string.match(value, '^[^ ]+'), string.match(held, '^[^ ]+')
  if isNewer(version, heldVersion) then return true end
  return version == heldVersion and value == version and held ~= heldVersion
end
${isOfBefore}
local missing, at = {}, 4
for index = 2, #KEYS, 2 do
  local entries, order = KEYS[index], KEYS[index + 1]
  local isWhole, first = ARGV[at] == '1', at + 2
  at = first + 2 * tonumber(ARGV[at + 1])
  local former = redis.call('HGET', entries, '.session')
  local isThere = former == session
  if not isThere and isWhole then
    local time = redis.call('TIME')
    local notes = {}
    if not isOfBefore(former, session) then
      local fields = redis.call('HGETALL', entries)
      for field = 1, #fields, 2 do
        if string.sub(fields[field], 1, 1) == '~' then
          notes[#notes + 1] = fields[field]
          notes[#notes + 1] = fields[field + 1]
        end
      end
    end
    redis.call('DEL', entries, order)
    redis.call('HSET', entries, '.session', session, '.life', time[1] .. '.' .. time[2], '.written', 0, '.gone', 0)
    for note = 1, #notes, 2 do
      redis.call('HSET', entries, notes[note], notes[note + 1])
      redis.call('ZADD', order, redis.call('HINCRBY', entries, '.written', 1), notes[note])
    end
    isThere = true
  end
  if isThere then
    for field = first, at - 1, 2 do
      local key, value = ARGV[field], ARGV[field + 1]
      local held = redis.call('HGET', entries, key)
      if not held or replaces(value, held) then
        local isGone, wasGone = not string.find(value, ' ', 1, true), held and not string.find(held, ' ', 1, true)
        redis.call('HSET', entries, key, value)
        redis.call('ZADD', order, redis.call('HINCRBY', entries, '.written', 1), key)
        if isGone and not wasGone then redis.call('HINCRBY', entries, '.gone', 1) end
        if wasGone and not isGone then redis.call('HINCRBY', entries, '.gone', -1) end
      end
    end
    local gone = tonumber(redis.call('HGET', entries, '.gone'))
    if gone > mostGone and gone * 2 > redis.call('ZCARD', order) then
      redis.call('HSET', entries, '.session', '')
    end
    redis.call('PEXPIRE', entries, unusedMs)
    redis.call('PEXPIRE', order, unusedMs)
  else
    missing[#missing + 1] = (index - 2) / 2
  end
end
return missing
`,
} as const;

/**
 * Adds notes to a root, whether or not a session holds it.
 *
 * KEYS: the root's entries and their order. ARGV: how long an unused root stays in milliseconds; then keys and
 * values of notes alternate.
 */
export const noteInView = {
  name: 'millraceNoteInView',
  numberOfKeys: 2,
  lua: `
for field = 2, #ARGV, 2 do
  if redis.call('HSETNX', KEYS[1], ARGV[field], ARGV[field + 1]) == 1 then
    redis.call('ZADD', KEYS[2], redis.call('HINCRBY', KEYS[1], '.written', 1), ARGV[field])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
`,
} as const;

/**
 * Returns alternating keys and values of a root's notes, whether or not a session holds it. False if they may be of
 * another history.
 *
 * KEYS: session, the root's entries and their order. ARGV: how long an unused root stays in milliseconds.
 */
export const readNotes = {
  name: 'millraceReadNotes',
  numberOfKeys: 3,
  lua: `${isOfBefore}
local session = redis.call('GET', KEYS[1]) or ''
local former = redis.call('HMGET', KEYS[2], '.session')[1]
if former ~= session and isOfBefore(former, session) then return false end
redis.call('PEXPIRE', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[1])
local notes = {}
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', '+inf')) do
  if string.sub(key, 1, 1) == '~' then
    notes[#notes + 1] = key
    notes[#notes + 1] = redis.call('HMGET', KEYS[2], key)[1]
  end
end
return notes
`,
} as const;

/**
 * Returns what was written to a root after a point: the name of its life, how much was written, the point, then
 * alternating keys and values. False if the root is missing.
 *
 * KEYS: session, the root's entries and their order. ARGV: the known life, its last point, how long an unused root
 * stays in milliseconds.
 */
export const readView = {
  name: 'millraceReadView',
  numberOfKeys: 3,
  lua: `
local session = redis.call('GET', KEYS[1])
if not session then return false end
local known = redis.call('HMGET', KEYS[2], '.session', '.life', '.written')
if known[1] ~= session then return false end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
local life = session .. '.' .. known[2]
local after = life == ARGV[1] and ARGV[2] or '0'
local keys = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. after, '+inf')
local reading = { life, known[3], after }
-- A call takes some thousand arguments at most.
for first = 1, #keys, 1000 do
  local last = math.min(first + 999, #keys)
  local values = redis.call('HMGET', KEYS[2], unpack(keys, first, last))
  for index = first, last do
    reading[#reading + 1] = keys[index]
    reading[#reading + 1] = values[index - first + 1]
  end
end
return reading
`,
} as const;
