/** The Kueue objects that a test needs: a flavor, a ClusterQueue over it, and a LocalQueue. */
import type { Manifest } from '../flows/cluster-api.ts';

const apiVersion = 'kueue.x-k8s.io/v1beta2';

/** An admission adds `nodeLabels` to the Pods. */
export function resourceFlavor(
  name: string,
  nodeLabels: Readonly<Record<string, string>> = {},
  more: object = {},
): Manifest {
  return { apiVersion, kind: 'ResourceFlavor', metadata: { name }, spec: { nodeLabels, ...more } };
}

/** Quota of cpu by flavor, in their order. */
export function clusterQueue(
  name: string,
  cpu: Readonly<Record<string, string>>,
  more: object = {},
): Manifest {
  const flavors = Object.entries(cpu).map(([flavor, nominalQuota]) => ({
    name: flavor,
    resources: [{ name: 'cpu', nominalQuota }],
  }));
  return {
    apiVersion,
    kind: 'ClusterQueue',
    metadata: { name },
    spec: {
      namespaceSelector: {},
      resourceGroups: [{ coveredResources: ['cpu'], flavors }],
      ...more,
    },
  };
}

export function localQueue(name: string, of: string): Manifest {
  return { apiVersion, kind: 'LocalQueue', metadata: { name }, spec: { clusterQueue: of } };
}

export function priorityClass(name: string, value: number): Manifest {
  const manifest = { apiVersion, kind: 'WorkloadPriorityClass', metadata: { name }, value };
  return { ...manifest, ...{ description: 'of a test' } };
}

/** One that a test answers itself. */
export function admissionCheck(name: string): Manifest {
  const spec = { controllerName: 'test.millrace.dev/check' };
  return { apiVersion, kind: 'AdmissionCheck', metadata: { name }, spec };
}
