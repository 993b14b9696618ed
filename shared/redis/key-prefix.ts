import type { Uid } from '#shared/domain/objects.ts';

/**
 * The prefix of all keys of one cluster's instance in Redis. The uid separates clusters, which would
 * otherwise take each other's work. The braces keep the keys of one cluster on one node of a Redis
 * Cluster, as scripts over several keys require (its specification, hash tags).
 */
export function redisPrefix(clusterUid: Uid): string {
  return `{millrace:${clusterUid}}`;
}
