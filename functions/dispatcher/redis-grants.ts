import { addingGrants, takingGrants } from '#shared/queue/bullmq-grants.ts';
import type { RedisGrant } from '#shared/redis/grant.ts';

/** The dispatcher takes from the queue of each function, and adds items that have to run again at once. */
export function dispatcherGrants(functionNames: readonly string[]): readonly RedisGrant[] {
  return [...takingGrants(functionNames), ...addingGrants(functionNames)];
}
