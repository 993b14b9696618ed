/** The resources of an installation's manifests. */
import {
  groupVersionOf,
  type JsonObject,
  type NewObject,
  type Resource,
  resourceKey,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';

const namespaced = (group: string, version: string, kind: string, plural: string): Resource => ({
  ...{ group, version, kind, plural, namespaced: true },
});
const ofCluster = (group: string, version: string, kind: string, plural: string): Resource => ({
  ...{ group, version, kind, plural, namespaced: false },
});
const rbac = 'rbac.authorization.k8s.io';

export const knativeService = namespaced('serving.knative.dev', 'v1', 'Service', 'services');
export const deployments = namespaced('apps', 'v1', 'Deployment', 'deployments');
export const configMaps = namespaced('', 'v1', 'ConfigMap', 'configmaps');
export const services = namespaced('', 'v1', 'Service', 'services');
export const certificates = namespaced('cert-manager.io', 'v1', 'Certificate', 'certificates');

const known: readonly Resource[] = [
  ...Object.values(resources),
  ofCluster(rbac, 'v1', 'ClusterRole', 'clusterroles'),
  ofCluster(rbac, 'v1', 'ClusterRoleBinding', 'clusterrolebindings'),
  namespaced(rbac, 'v1', 'Role', 'roles'),
  namespaced(rbac, 'v1', 'RoleBinding', 'rolebindings'),
  namespaced('', 'v1', 'ServiceAccount', 'serviceaccounts'),
  namespaced('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies'),
  namespaced('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  namespaced('cert-manager.io', 'v1', 'Issuer', 'issuers'),
  ...[deployments, services, certificates, knativeService],
];

export type Installed = NewObject & JsonObject;

/** Throws for a manifest of a kind that no installation contains. */
export function resourceOf({ apiVersion, kind }: Installed): Resource {
  const { group, version } = groupVersionOf(apiVersion);
  const found = known.find(
    (each) => each.kind === kind && each.group === group && each.version === version,
  );
  if (found === undefined) throw new Error(`${apiVersion} ${kind} is in no installation`);
  return found;
}

/** The name for users: `deployment.apps/bridge`. */
export function nameOf(object: Installed): string {
  const { plural, group } = resourceOf(object);
  return `${group === '' ? plural : resourceKey({ plural, group })}/${object.metadata.name}`;
}
