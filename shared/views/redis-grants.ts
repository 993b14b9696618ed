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

/** To read a view is to want it kept: its time begins anew. What can be written are notes: what is there stays. */
export const viewReadingGrants: readonly RedisGrant[] = [
  { keys: [session, entries, order], commands: calling },
  { keys: [session], commands: ['get'] },
  { keys: [entries], commands: ['hmget', 'hsetnx', 'hincrby', 'pexpire'] },
  { keys: [order], commands: ['zrangebyscore', 'zadd', 'pexpire'] },
];
