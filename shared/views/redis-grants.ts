import { calling, commandsOf, type RedisGrant } from '#shared/redis/grant.ts';
import { holdViews, releaseViews, writeViews } from './redis-scripts.ts';

const session = 'views';
const entries = 'view:*';
const order = 'view-order:*';

export const viewWritingGrants: readonly RedisGrant[] = [
  {
    keys: [session, entries, order],
    commands: [...calling, ...commandsOf(holdViews.lua, releaseViews.lua, writeViews.lua)],
  },
];

/** Reading a view prolongs its life. Only notes can be written, and existing ones stay. */
export const viewReadingGrants: readonly RedisGrant[] = [
  { keys: [session, entries, order], commands: calling },
  { keys: [session], commands: ['get'] },
  { keys: [entries], commands: ['hmget', 'hsetnx', 'hincrby', 'pexpire'] },
  { keys: [order], commands: ['zrangebyscore', 'zadd', 'pexpire'] },
];
