import { recordingGrants } from '#shared/journal/redis-grants.ts';
import type { RedisGrant } from '#shared/redis/grant.ts';
import { viewReadingGrants } from '#shared/views/redis-grants.ts';

/** A function that runs alone records its decisions and reads what the bridge keeps for it. */
export const functionGrants: readonly RedisGrant[] = [...recordingGrants(), ...viewReadingGrants];
