/**
 * The rights that the queue needs in Redis. The commands are read from the texts of BullMQ's scripts, so that another
 * version is granted its own commands.
 */
import { addStandardJob } from 'bullmq/dist/esm/scripts/addStandardJob-9.js';
import { extendLocks } from 'bullmq/dist/esm/scripts/extendLocks-1.js';
import { moveJobFromActiveToWait } from 'bullmq/dist/esm/scripts/moveJobFromActiveToWait-9.js';
import { moveStalledJobsToWait } from 'bullmq/dist/esm/scripts/moveStalledJobsToWait-9.js';
import { calling, commandsOf, type RedisGrant } from '#shared/redis/grant.ts';
import { finishJob, postponeJob, takeJob, wakeJobs } from './bullmq-scripts.ts';
import { countJobs } from './queue-depth.ts';

/** BullMQ's scripts choose between these two in calls that name no command. */
const pushing = ['lpush', 'rpush'];

/** For adding items of these functions. */
export function addingGrants(functionNames: readonly string[]): readonly RedisGrant[] {
  const scripts = [addStandardJob.content, wakeJobs.lua];
  return [
    {
      keys: keysOf(functionNames),
      // BullMQ stores beside the queue how much of its stream it keeps.
      commands: [...calling, ...pushing, 'hset', ...commandsOf(...scripts)],
    },
  ];
}

/** For taking items of these functions, settling them, and counting them. */
export function takingGrants(functionNames: readonly string[]): readonly RedisGrant[] {
  const scripts = [
    ...[takeJob, postponeJob, finishJob, countJobs].map(({ lua }) => lua),
    ...[extendLocks, moveJobFromActiveToWait, moveStalledJobsToWait].map(({ content }) => content),
  ];
  return [
    {
      keys: keysOf(functionNames),
      commands: [...calling, ...pushing, 'bzpopmin', 'zadd', ...commandsOf(...scripts)],
    },
    // They end a wait that would delay the end of the process.
    { keys: [], commands: ['client|id', 'client|unblock'] },
  ];
}

function keysOf(functionNames: readonly string[]): readonly string[] {
  return functionNames.map((name) => `${name}:*`);
}
