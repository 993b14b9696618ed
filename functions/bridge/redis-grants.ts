import { eventRecordingGrants } from '#shared/journal/redis-grants.ts';
import { addingGrants } from '#shared/queue/bullmq-grants.ts';
import type { RedisGrant } from '#shared/redis/grant.ts';
import { viewWritingGrants } from '#shared/views/redis-grants.ts';

/** The bridge records events, adds to the queues of the functions, and writes their views. */
export function bridgeGrants(functionNames: readonly string[]): readonly RedisGrant[] {
  return [...eventRecordingGrants, ...addingGrants(functionNames), ...viewWritingGrants];
}
