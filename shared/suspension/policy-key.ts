import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';

/** `SuspendPolicy/team-a/nights` or `ClusterSuspendPolicy/nights`, for people. */
export function keyOf({ kind, metadata }: Pick<SuspendPolicy, 'kind' | 'metadata'>): string {
  return [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join('/');
}
