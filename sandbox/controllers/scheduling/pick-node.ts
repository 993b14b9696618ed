/** Chooses the node of a Pod: the least requested one, then by name, so that it is repeatable. */
import type { Node } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';
import { objections } from './node-fit.ts';
import type { Load } from './node-load.ts';
import { amounts } from './pod-requests.ts';

export type Pick =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'none'; readonly message: string };

/** `nodes` sorted by name. */
export function pickNode(pod: Pod, nodes: readonly Node[], loadOf: (name: string) => Load): Pick {
  const reasons = new Map<string, number>();
  let best: { readonly name: string; readonly score: number } | undefined;
  for (const node of nodes) {
    const { name } = node.metadata;
    const load = loadOf(name);
    const against = objections(pod, node, load);
    for (const reason of against) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (against.length > 0) continue;
    const score = freeShare(node, load);
    if (best === undefined || score > best.score) best = { name, score };
  }
  if (best !== undefined) return { kind: 'node', name: best.name };
  return { kind: 'none', message: notAvailable(nodes.length, reasons) };
}

function notAvailable(count: number, reasons: ReadonlyMap<string, number>): string {
  if (count === 0) return 'no nodes available to schedule pods';
  const counted = [...reasons].map(([reason, nodes]) => `${nodes} ${reason}`).toSorted();
  return `0/${count} nodes are available: ${counted.join(', ')}.`;
}

// A Pod without requests has the weight that the real scheduler gives it (non_zero.go).
const unasked = { cpu: 100, memory: 200 * 2 ** 20 };

/** Average over cpu and memory. Pods without requests count too, so that they spread. */
function freeShare({ status }: Node, load: Load): number {
  const allocatable = amounts(status?.allocatable ?? {});
  const share = (resource: 'cpu' | 'memory') => {
    const capacity = allocatable.get(resource) ?? 0;
    const least = load.pods * unasked[resource];
    const used = Math.max(load.requested.get(resource) ?? 0, least);
    return capacity === 0 ? 0 : (capacity - used) / capacity;
  };
  return (share('cpu') + share('memory')) / 2;
}
