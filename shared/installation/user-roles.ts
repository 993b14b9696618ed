/** Rules on Millrace's kinds for Kubernetes' well-known roles `view`, `edit` and `admin`. */
import { roleName } from '#shared/api/roles.ts';
import { labels } from '#shared/domain/labels.ts';
import type { JsonObject, Resource } from '#shared/domain/objects.ts';
import { manifest, partOf } from './names.ts';

const reading = ['get', 'list', 'watch'];
const writing = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/**
 * Aggregated: users who may view or edit a namespace may do so with Millrace's kinds. Cluster-scoped
 * kinds may be read with a cluster-wide `view`. Changing them needs a role of its own, which is part of
 * no other role.
 */
export function userRoles(kinds: readonly Resource[]): readonly JsonObject[] {
  const namespaced = kinds.filter((kind) => kind.namespaced);
  const ofCluster = kinds.filter((kind) => !kind.namespaced);
  return [
    role('view', ['view', 'edit', 'admin'], rulesFor(kinds, reading)),
    role('edit', ['edit', 'admin'], rulesFor(namespaced, writing)),
    role('operate', [], rulesFor(ofCluster, [...reading, ...writing])),
    wrappedRole(),
  ];
}

/** The role for what administrators allow on kinds of their cluster, for AppWrappers. */
export const wrappedRoleName = roleName('wrapped');

/** The cluster fills in the rules of all ClusterRoles with the label. */
function wrappedRole(): JsonObject {
  const matchLabels = { [labels.aggregateToWrapped]: 'true' };
  return manifest(
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    { name: wrappedRoleName, labels: { ...partOf } },
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } },
  );
}

function role(name: string, aggregatedTo: readonly string[], rules: readonly JsonObject[]) {
  const labels = Object.fromEntries(
    aggregatedTo.map((to) => [`rbac.authorization.k8s.io/aggregate-to-${to}`, 'true']),
  );
  return manifest(
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    { name: roleName(name), labels: { ...partOf, ...labels } },
    { rules: [...rules] },
  );
}

function rulesFor(kinds: readonly Resource[], verbs: readonly string[]): readonly JsonObject[] {
  const groups = [...new Set(kinds.map(({ group }) => group))];
  return groups.map((group) => ({
    apiGroups: [group],
    resources: kinds.filter((kind) => kind.group === group).map(({ plural }) => plural),
    verbs: [...verbs],
  }));
}
