/** Paths of the kinds that both servers serve. */

export interface KindPath {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const namespaced = (apiVersion: string, plural: string): KindPath => ({
  apiVersion,
  plural,
  namespaced: true,
});
const clusterWide = (apiVersion: string, plural: string): KindPath => ({
  apiVersion,
  plural,
  namespaced: false,
});

export const kinds = {
  ConfigMap: namespaced('v1', 'configmaps'),
  Secret: namespaced('v1', 'secrets'),
  Pod: namespaced('v1', 'pods'),
  Service: namespaced('v1', 'services'),
  ServiceAccount: namespaced('v1', 'serviceaccounts'),
  PersistentVolumeClaim: namespaced('v1', 'persistentvolumeclaims'),
  LimitRange: namespaced('v1', 'limitranges'),
  ResourceQuota: namespaced('v1', 'resourcequotas'),
  Event: namespaced('v1', 'events'),
  NewEvent: namespaced('events.k8s.io/v1', 'events'),
  Namespace: clusterWide('v1', 'namespaces'),
  Node: clusterWide('v1', 'nodes'),
  Job: namespaced('batch/v1', 'jobs'),
  CronJob: namespaced('batch/v1', 'cronjobs'),
  Lease: namespaced('coordination.k8s.io/v1', 'leases'),
  Role: namespaced('rbac.authorization.k8s.io/v1', 'roles'),
  RoleBinding: namespaced('rbac.authorization.k8s.io/v1', 'rolebindings'),
  ClusterRole: clusterWide('rbac.authorization.k8s.io/v1', 'clusterroles'),
  ClusterRoleBinding: clusterWide('rbac.authorization.k8s.io/v1', 'clusterrolebindings'),
  PriorityClass: clusterWide('scheduling.k8s.io/v1', 'priorityclasses'),
  CustomResourceDefinition: clusterWide('apiextensions.k8s.io/v1', 'customresourcedefinitions'),
  ValidatingAdmissionPolicy: clusterWide(
    'admissionregistration.k8s.io/v1',
    'validatingadmissionpolicies',
  ),
  ValidatingAdmissionPolicyBinding: clusterWide(
    'admissionregistration.k8s.io/v1',
    'validatingadmissionpolicybindings',
  ),
  ValidatingWebhookConfiguration: clusterWide(
    'admissionregistration.k8s.io/v1',
    'validatingwebhookconfigurations',
  ),
  MutatingWebhookConfiguration: clusterWide(
    'admissionregistration.k8s.io/v1',
    'mutatingwebhookconfigurations',
  ),
} as const satisfies Readonly<Record<string, KindPath>>;

/** A kind of the table above, or one that a script has defined. */
export type KindName = keyof typeof kinds | KindPath;

export function kindPath(kind: KindName): KindPath {
  return typeof kind === 'string' ? kinds[kind] : kind;
}

/** `/api/v1` or `/apis/batch/v1`. */
export function groupPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** The kind of an object by its apiVersion and kind. Throws for a kind that the table lacks. */
export function kindOf(object: { readonly apiVersion: string; readonly kind: string }): KindPath {
  const found = Object.entries(kinds).find(
    ([name, { apiVersion }]) =>
      apiVersion === object.apiVersion && (name === object.kind || name === `New${object.kind}`),
  );
  if (found === undefined) throw new Error(`no path is known for ${object.kind}`);
  return found[1];
}
