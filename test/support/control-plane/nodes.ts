import type { Kubectl } from './kubectl.ts';
import { kubectlOrThrow } from './kubectl.ts';

const resources = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '10000' };

/** A plain Node object; kwok makes it Ready and simulates its kubelet. */
export function simulatedNode(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
      },
    },
    status: { allocatable: resources, capacity: resources },
  };
}

/**
 * Creates `count` nodes named `names[i]`, else `node-<i>`, and waits until they are Ready. Returns
 * their names.
 */
export async function createNodes(
  cluster: { readonly kubectl: Kubectl },
  count: number,
  names: readonly string[] = [],
): Promise<readonly string[]> {
  const all = Array.from({ length: count }, (_, index) => names[index] ?? `node-${index}`);
  const list = { apiVersion: 'v1', kind: 'List', items: all.map(simulatedNode) };
  const input = JSON.stringify(list);
  await kubectlOrThrow(cluster.kubectl, ['create', '-f', '-'], { input });
  const ready = ['wait', '--for=condition=Ready', '--timeout=60s'];
  await kubectlOrThrow(cluster.kubectl, [...ready, ...all.map((name) => `node/${name}`)]);
  return all;
}
