/** A minimal object of each kind, with a given name, and a change of it. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { kinds } from '../harness/kinds.ts';
import type { Manifest } from '../harness/session.ts';

/** `{}` for no data: an empty map is a different case. */
export function configMap(name: string, data: JsonObject = { a: '1' }, metadata = {}): Manifest {
  const filled = Object.keys(data).length > 0 ? { data } : {};
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...filled };
}

export function secret(name: string, metadata: JsonObject = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, ...metadata },
    data: { key: 'dmFsdWU=' },
  };
}

export const busybox = { name: 'main', image: 'busybox' };

export function pod(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    // A node without a kubelet and a scheduler that does not exist: the Pod never changes.
    spec: {
      schedulerName: 'nobody',
      automountServiceAccountToken: false,
      containers: [busybox],
      ...spec,
    },
  };
}

export function job(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): Manifest {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, ...metadata },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [busybox] } },
      ...spec,
    },
  };
}

/**
 * The template of a Job whose Pods exit with this code, for either server's substitute of a
 * kubelet.
 */
export function ending(seconds: number, exitCode: number): JsonObject {
  const annotations = {
    'simulate.millrace.dev/run-for': `${seconds}s`,
    'simulate.millrace.dev/exit-code': String(exitCode),
    'sandbox.millrace.dev/run-seconds': String(seconds),
    'sandbox.millrace.dev/exit-code': String(exitCode),
  };
  const containers = [{ name: 'main', image: 'busybox' }];
  return { metadata: { annotations }, spec: { restartPolicy: 'Never', containers } };
}

/** A Job that no controller changes: its `managedBy` names one that does not run (KEP-4368). */
export function restingJob(name: string, spec: JsonObject = {}, metadata = {}): Manifest {
  return job(name, { managedBy: 'conformance.test/nobody', ...spec }, metadata);
}

export function lease(name: string, spec: JsonObject = {}): Manifest {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity: 'one', leaseDurationSeconds: 15, ...spec },
  };
}

/** kube-controller-manager writes the status of a policy at any time. */
type SampledKind = Exclude<keyof typeof kinds, 'Namespace' | 'ValidatingAdmissionPolicy'>;

export interface Sample {
  readonly make: (name: string, namespace: string) => Manifest;
  /** A JSON merge patch that is valid for the kind. */
  readonly change: JsonObject;
}

const rbac = 'rbac.authorization.k8s.io/v1';
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'somebody' }];

export const samples: Readonly<Record<SampledKind, Sample>> = {
  ConfigMap: { make: (name) => configMap(name), change: { data: { a: '2', b: null } } },
  Secret: { make: (name) => secret(name), change: { stringData: { more: 'text' } } },
  Pod: { make: (name) => pod(name), change: { spec: { activeDeadlineSeconds: 60 } } },
  Service: {
    make: (name) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { clusterIP: 'None', selector: { app: 'a' }, ports: [{ port: 80 }] },
    }),
    change: { spec: { selector: { app: 'b' } } },
  },
  ServiceAccount: {
    make: (name) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } }),
    change: { automountServiceAccountToken: false },
  },
  PersistentVolumeClaim: {
    make: (name) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: {
        storageClassName: 'none',
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
      },
    }),
    change: { metadata: { labels: { changed: 'yes' } } },
  },
  LimitRange: {
    make: (name) => ({
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name },
      spec: { limits: [{ type: 'Container', max: { cpu: '100' } }] },
    }),
    change: { spec: { limits: [{ type: 'Container', max: { cpu: '200' } }] } },
  },
  ResourceQuota: {
    make: (name) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name },
      spec: { hard: { 'count/leases.coordination.k8s.io': '100' } },
    }),
    change: { metadata: { labels: { changed: 'yes' } } },
  },
  Event: {
    make: (name, namespace) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: { kind: 'Pod', namespace, name: 'a' },
      reason: 'Tested',
      message: 'reported by a test',
      type: 'Normal',
      source: { component: 'conformance' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:01Z',
      count: 1,
    }),
    change: { count: 2, lastTimestamp: '2026-01-01T00:00:09Z' },
  },
  NewEvent: {
    make: (name, namespace) => ({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name },
      eventTime: '2026-01-01T00:00:00.000001Z',
      reportingController: 'conformance.test/one',
      reportingInstance: 'one',
      action: 'Testing',
      reason: 'Tested',
      regarding: { kind: 'Pod', namespace, name: 'a' },
      note: 'reported by a test',
      type: 'Normal',
    }),
    change: { series: { count: 2, lastObservedTime: '2026-01-01T00:00:09.000000Z' } },
  },
  Node: {
    make: (name) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      // No Pod is scheduled onto it, and the substitute of the kubelet ignores it.
      spec: { unschedulable: true },
    }),
    change: { metadata: { labels: { changed: 'yes' } } },
  },
  Job: { make: (name) => restingJob(name), change: { spec: { parallelism: 2 } } },
  CronJob: {
    make: (name) => ({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name },
      spec: {
        suspend: true,
        schedule: '0 0 1 1 *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [busybox] } } },
        },
      },
    }),
    change: { spec: { schedule: '0 0 2 1 *' } },
  },
  Lease: { make: (name) => lease(name), change: { spec: { holderIdentity: 'two' } } },
  Role: {
    make: (name) => ({ apiVersion: rbac, kind: 'Role', metadata: { name }, rules }),
    change: { rules: [] },
  },
  RoleBinding: {
    make: (name) => ({
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'some' },
      subjects,
    }),
    change: { subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: 'default' }] },
  },
  ClusterRole: {
    make: (name) => ({ apiVersion: rbac, kind: 'ClusterRole', metadata: { name }, rules }),
    change: { rules: [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }] },
  },
  ClusterRoleBinding: {
    make: (name) => ({
      apiVersion: rbac,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'some' },
      subjects,
    }),
    change: { subjects: [] },
  },
  PriorityClass: {
    make: (name) => ({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value: 7,
    }),
    change: { description: 'seven' },
  },
  CustomResourceDefinition: {
    make: (name) => {
      const group = `crud-${name}.test`;
      return {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'things', kind: 'Thing' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object' } },
            },
          ],
        },
      };
    },
    change: { metadata: { labels: { changed: 'yes' } } },
  },
  ValidatingAdmissionPolicyBinding: {
    make: (name) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: 'idle', validationActions: ['Deny'] },
    }),
    change: { spec: { validationActions: ['Warn'] } },
  },
  ValidatingWebhookConfiguration: {
    make: (name) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: [idleWebhook],
    }),
    change: { webhooks: [] },
  },
  MutatingWebhookConfiguration: {
    make: (name) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name },
      webhooks: [idleWebhook],
    }),
    change: { webhooks: [] },
  },
};

/** For a group that does not exist. */
const idleRule: JsonObject = {
  apiGroups: ['nothing.test'],
  apiVersions: ['v1'],
  resources: ['none'],
  operations: ['CREATE'],
};

const idleWebhook: JsonObject = {
  name: 'idle.conformance.test',
  clientConfig: { url: 'https://127.0.0.1:1/idle' },
  rules: [idleRule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
