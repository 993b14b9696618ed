import { calling, commandsOf, type RedisGrant } from '#shared/redis/grant.ts';
import { appendRecords } from './redis-scripts.ts';

const appending = [...calling, ...commandsOf(appendRecords.lua)];

/** For recording decisions or reviews. `below`: of a journal that is not the one of events. */
export function recordingGrants(below = ''): readonly RedisGrant[] {
  return [{ keys: [`${below}journal`], commands: appending }];
}

/** For recording events: each once, and nothing after a loss that nobody noticed. */
export const eventRecordingGrants: readonly RedisGrant[] = [
  { keys: ['journal', 'seen:*'], commands: appending },
  { keys: ['epoch'], commands: ['get', 'set'] },
];
