import type { Resource } from './objects.ts';

/** Every resource that Millrace reads or writes. RBAC, watches and clients are derived from it. */
export const resources = {
  JobFlow: {
    group: 'api.practice.com',
    version: 'v1alpha1',
    plural: 'jobflows',
    kind: 'JobFlow',
    namespaced: true,
  },
  JobTemplate: {
    group: 'api.practice.com',
    version: 'v1alpha1',
    plural: 'jobtemplates',
    kind: 'JobTemplate',
    namespaced: true,
  },
  DaemonJob: {
    group: 'api.practice.com',
    version: 'v1alpha1',
    plural: 'daemonjobs',
    kind: 'DaemonJob',
    namespaced: true,
  },
  SuspendPolicy: {
    group: 'millrace.dev',
    version: 'v1alpha1',
    plural: 'suspendpolicies',
    kind: 'SuspendPolicy',
    namespaced: true,
  },
  ClusterSuspendPolicy: {
    group: 'millrace.dev',
    version: 'v1alpha1',
    plural: 'clustersuspendpolicies',
    kind: 'ClusterSuspendPolicy',
    namespaced: false,
  },
  LocalQueue: {
    group: 'kueue.x-k8s.io',
    version: 'v1beta2',
    plural: 'localqueues',
    kind: 'LocalQueue',
    namespaced: true,
  },
  Job: { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true },
  Pod: { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true },
  Node: { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false },
  // The core group: events.k8s.io refuses the times that kubectl sorts Events by.
  Event: {
    group: '',
    version: 'v1',
    plural: 'events',
    kind: 'Event',
    namespaced: true,
  },
  Lease: {
    group: 'coordination.k8s.io',
    version: 'v1',
    plural: 'leases',
    kind: 'Lease',
    namespaced: true,
  },
  Namespace: {
    group: '',
    version: 'v1',
    plural: 'namespaces',
    kind: 'Namespace',
    namespaced: false,
  },
  PriorityClass: {
    group: 'scheduling.k8s.io',
    version: 'v1',
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    namespaced: false,
  },
  Secret: { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true },
  SubjectAccessReview: {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
    namespaced: false,
  },
  CustomResourceDefinition: {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
  },
  ValidatingAdmissionPolicy: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    namespaced: false,
  },
  ValidatingAdmissionPolicyBinding: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    namespaced: false,
  },
  MutatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    namespaced: false,
  },
  ValidatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    namespaced: false,
  },
} as const satisfies Record<string, Resource>;

export type ResourceKind = keyof typeof resources;
