/** The users of Redis: one for each process that does anything there, who may do just that. */
import { asUid } from '#shared/domain/objects.ts';
import { aclRules } from '#shared/redis/grant.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import type { DeclaredProcess } from './declared-process.ts';

export interface RedisUser {
  /** Of the process. */
  readonly name: string;
  /** As ACL SETUSER reads them; nothing says how the user proves itself. */
  readonly rules: readonly string[];
}

/** `clusterUid`: whose keys they are, or words that stand for it. */
export function redisUsers(
  processes: readonly DeclaredProcess[],
  clusterUid: string,
): readonly RedisUser[] {
  const prefix = redisPrefix(asUid(clusterUid));
  return processes.flatMap(({ name, redis }) =>
    redis === undefined ? [] : [{ name, rules: aclRules(redis, prefix) }],
  );
}

/** What stands in the ACL file for the uid of the cluster. */
export const clusterUidWord = 'CLUSTER_UID';

/** What stands there for the SHA-256 of a password, in hexadecimal. A server refuses a file that still has it. */
export function passwordWord(user: string): string {
  return `SHA256_OF_${user}`;
}

/** An ACL file for a Redis of one's own; Redis knows no comments in it. */
export function aclFile(processes: readonly DeclaredProcess[]): string {
  const users = redisUsers(processes, clusterUidWord).map(
    ({ name, rules }) => `user ${name} on #${passwordWord(name)} ${rules.join(' ')}\n`,
  );
  return ['user default off\n', ...users].join('');
}
