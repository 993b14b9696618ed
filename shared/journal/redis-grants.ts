import { calling, commandsOf, type RedisGrant } from '#shared/redis/grant.ts';
import { appendRecords } from './redis-scripts.ts';

const appending = [...calling, ...commandsOf(appendRecords.lua)];

/** For recording decisions or reviews. `below` selects a journal other than that of events. */
export function recordingGrants(below = ''): readonly RedisGrant[] {
  return [{ keys: [`${below}journal`], commands: appending }];
}

/** For recording events: each once, and none after an unnoticed loss. */
export const eventRecordingGrants: readonly RedisGrant[] = [
  { keys: ['journal', 'seen:*'], commands: appending },
  { keys: ['epoch'], commands: ['get', 'set'] },
];
