import { expect, it } from 'vitest';
import { aclRules, commandsOf } from './grant.ts';

it('finds the commands that scripts name, however they are called, and no other words', () => {
  const lua = `
local reply = redis.pcall('XADD', key, '*', 'record', ARGV[1])
if string.find(reply.err, 'OOM', 1, true) then keep() end
rcall("ZRANGE", target, 0, 0, "WITHSCORES")
store('SET', key, '1', 'NX')
redis.call('XINFO', 'STREAM', key)
rcall(pushCmd or "RPUSH", key)
`;
  expect(commandsOf(lua, "redis.call('SET', key)")).toEqual([
    ...['set', 'xadd', 'xinfo|stream', 'zrange'],
  ]);
});

it('grants the commands on some keys for these alone, and what takes no key everywhere', () => {
  const grants = [
    { keys: ['a', 'b:*'], commands: ['get', 'xinfo|stream'] },
    { keys: [], commands: ['client|id'] },
    { keys: ['c'], commands: ['set'] },
  ];
  expect(aclRules(grants, '{p}')).toEqual([
    ...['resetchannels', '+info', '+client|setname', '+client|id'],
    ...['(~{p}:a ~{p}:b:* +get +xinfo|stream)', '(~{p}:c +set)'],
  ]);
});
