import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { nodeFacts } from '#shared/domain/node-facts.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { startCluster } from '../../support/cluster-parts.ts';
import { clientOf, type Site } from '../site.ts';

const namespace = 'bench-0';
/** On every node of the benchmark. */
export const nodeLabel = 'bench.millrace.dev/node';
/** On the nodes for the warm-up. */
export const warmUpLabel = 'bench.millrace.dev/warm-up';
const warmUpNodes = 50;

const atOnce = 16;
const capacity = { cpu: '64', memory: '256Gi', pods: '1000' };

/** A whole control plane with this many ready nodes. Everything that it starts ends with `stack`. */
export async function openDaemonSite(
  stack: AsyncDisposableStack,
  nodes: number,
  say: (line: string) => void,
): Promise<Site> {
  const cluster = await startCluster(say);
  stack.defer(() => cluster.stop());
  const client = await clientOf(stack, cluster, 'bench-driver');
  const metadata = { name: namespace };
  await client.create(resources.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata });
  const names = Array.from(
    { length: nodes },
    (_, index) => `bench-${String(index).padStart(4, '0')}`,
  );
  const { errors } = await eachBounded([...names.entries()], atOnce, ([index, name]) =>
    client.create(resources.Node, nodeNamed(name, index < warmUpNodes)),
  );
  if (errors.length > 0) throw errors[0];
  while (!(await areReady(client, nodes))) await sleep(500);
  return { cluster, client, namespaces: [namespace] };
}

/** Ready from the start, as its kubelet would report it; kwok keeps it so. */
function nodeNamed(name: string, isOfWarmUp: boolean): NewObject {
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        [nodeLabel]: 'true',
        'kubernetes.io/hostname': name,
        ...(isOfWarmUp ? { [warmUpLabel]: 'true' } : {}),
      },
    },
    status: { allocatable: capacity, capacity, conditions: [{ type: 'Ready', status: 'True' }] },
  };
  return node;
}

/** Each node is created with a taint that the node controller removes. */
async function areReady(client: KubeClient, nodes: number): Promise<boolean> {
  const { items } = await client.list(resources.Node, { labelSelector: nodeLabel });
  return items.length === nodes && items.every(isReady);
}

function isReady(node: KubeObject): boolean {
  const { ready, taints } = nodeFacts(node);
  return ready === 'True' && taints.length === 0;
}
