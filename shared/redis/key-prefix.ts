import type { Uid } from '#shared/domain/objects.ts';

/**
 * Begins every key that the instance of one cluster keeps in Redis. The uid of the cluster keeps
 * those of several apart, which would take each other's work; the braces keep all keys of one on one
 * node of a Redis Cluster, as scripts over several keys demand it (its specification, hash tags).
 */
export function redisPrefix(clusterUid: Uid): string {
  return `{millrace:${clusterUid}}`;
}
