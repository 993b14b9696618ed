import { recordingGrants } from '#shared/journal/redis-grants.ts';
import type { RedisGrant } from '#shared/redis/grant.ts';
import { viewReadingGrants } from '#shared/views/redis-grants.ts';

/** A function that runs apart records its decisions and reads the views that the bridge keeps. */
export const functionGrants: readonly RedisGrant[] = [...recordingGrants(), ...viewReadingGrants];
