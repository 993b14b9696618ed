/** Kueue's read access to Millrace's kinds. */
import { queuedKinds } from '#shared/api/work/queued-kinds.ts';
import type { JsonObject } from '#shared/domain/objects.ts';

const name = 'millrace-kueue-manager';

/** Kueue looks up the owners of Jobs and Pods. */
export function accessOfKueue(): readonly JsonObject[] {
  const byGroup = Map.groupBy(queuedKinds, ({ resource }) => resource.group);
  const rules = [...byGroup].map(([group, kinds]) => ({
    apiGroups: [group],
    resources: kinds.map(({ resource }) => resource.plural),
    verbs: ['get', 'list', 'watch'],
  }));
  const apiGroup = 'rbac.authorization.k8s.io';
  const apiVersion = `${apiGroup}/v1`;
  const subject = {
    kind: 'ServiceAccount',
    name: 'kueue-controller-manager',
    namespace: 'kueue-system',
  };
  return [
    { apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [subject],
    },
  ];
}
