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

/** To read a view is to want it kept: its time begins anew. Nothing of it can be written. */
export const viewReadingGrants: readonly RedisGrant[] = [
  { keys: [session, entries, order], commands: calling },
  { keys: [session], commands: ['get'] },
  { keys: [entries], commands: ['hmget', 'pexpire'] },
  { keys: [order], commands: ['zrangebyscore', 'pexpire'] },
];
