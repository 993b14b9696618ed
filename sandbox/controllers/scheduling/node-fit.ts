/** Whether a Pod can run on a node, in the words of the scheduler's plugins. */
import type { Node } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';
import { selectsNode } from './node-affinity.ts';
import type { Load } from './node-load.ts';
import { type Amounts, amounts, requestsOf } from './pod-requests.ts';
import { tolerates, untolerated } from './taints.ts';

const unschedulable = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** The reasons of the first plugin that objects. Empty: it fits. */
export function objections(pod: Pod, node: Node, load: Load): readonly string[] {
  const { tolerations = [] } = pod.spec;
  const isCordoned = node.spec?.unschedulable === true;
  if (isCordoned && !tolerations.some((toleration) => tolerates(toleration, unschedulable))) {
    return ['node(s) were unschedulable'];
  }
  if (untolerated(node, tolerations, ['NoSchedule', 'NoExecute']).length > 0) {
    return ['node(s) had untolerated taint(s)'];
  }
  if (!selectsNode(pod.spec, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  return shortages(requestsOf(pod), node, load).map(({ resource }) =>
    resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`,
  );
}

export interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

export function shortages(requests: Amounts, node: Node, load: Load): readonly Shortage[] {
  const allocatable = amounts(node.status?.allocatable ?? {});
  const found: Shortage[] = [];
  const demand: readonly [string, number, number][] = [
    ['pods', 1, load.pods],
    ...[...requests].map(([resource, amount]): [string, number, number] => [
      resource,
      amount,
      load.requested.get(resource) ?? 0,
    ]),
  ];
  for (const [resource, requested, used] of demand) {
    const capacity = allocatable.get(resource) ?? 0;
    if (requested > 0 && used + requested > capacity) {
      found.push({ resource, requested, used, capacity });
    }
  }
  return found;
}
