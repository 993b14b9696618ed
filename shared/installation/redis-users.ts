/** The users of Redis: one for each process that uses it, with just the needed rights. */
import { asUid } from '#shared/domain/objects.ts';
import { aclRules } from '#shared/redis/grant.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import type { DeclaredProcess } from './declared-process.ts';

export interface RedisUser {
  /** Name of the process. */
  readonly name: string;
  /** For ACL SETUSER, without a password. */
  readonly rules: readonly string[];
}

/** `clusterUid`: the uid in the prefix of the keys, or a placeholder for it. */
export function redisUsers(
  processes: readonly DeclaredProcess[],
  clusterUid: string,
): readonly RedisUser[] {
  const prefix = redisPrefix(asUid(clusterUid));
  return processes.flatMap(({ name, redis }) =>
    redis === undefined ? [] : [{ name, rules: aclRules(redis, prefix) }],
  );
}

/** Placeholder for the cluster's uid in the ACL file. */
export const clusterUidWord = 'CLUSTER_UID';

/** Placeholder for the SHA-256 of a password, in hexadecimal. A server refuses a file that still contains it. */
export function passwordWord(user: string): string {
  return `SHA256_OF_${user}`;
}

/** An ACL file for an operator's own Redis. Redis allows no comments in it. */
export function aclFile(processes: readonly DeclaredProcess[]): string {
  const users = redisUsers(processes, clusterUidWord).map(
    ({ name, rules }) => `user ${name} on #${passwordWord(name)} ${rules.join(' ')}\n`,
  );
  return ['user default off\n', ...users].join('');
}
