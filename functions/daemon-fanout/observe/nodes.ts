import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { type Ledger, nodeKey } from '#shared/api/node-ledger.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { ineligibility } from '#shared/domain/node-eligibility.ts';
import { nodeFacts } from '#shared/domain/node-facts.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { placedTemplate } from '#shared/render/placed-template.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { ObservedNode } from '../snapshot.ts';

/**
 * All nodes, by name. `now`: as the API server has them. Otherwise, if a Job runs on a node that is not listed, the node
 * is read before it counts as gone: an outdated view would get the Job removed.
 */
export async function observeNodes(
  { spec }: DaemonJob,
  jobs: readonly ObservedJob[],
  reader: Reader,
  asOf?: 'now',
): Promise<readonly ObservedNode[]> {
  const listed = await reader.list(resources.Node, asOf);
  // A view might bring back a node that is gone.
  if (asOf === 'now') return observedNodesOf(spec, [...listed]);
  const names = new Set(listed.map(({ metadata }) => metadata.name));
  const doubtful = new Set(jobs.flatMap(nodeOfRunning).filter((name) => !names.has(name)));
  const asked = await Promise.all(
    [...doubtful].map((name) => reader.get(resources.Node, { namespace: '', name })),
  );
  const found = asked.filter((node) => node !== undefined);
  return observedNodesOf(spec, [...listed, ...found]);
}

/**
 * Names of nodes whose machine in the view is not the one that a Job ran on. Either the machine was
 * replaced, or the view is outdated. Then the Job would be removed, and the machine would run it twice.
 * Creation times do not show which, since the API server's clock may have been set. An ended Job is removed
 * only if another one is to start.
 */
export function unseenMachines(
  {
    nodes,
    jobs,
  }: { readonly nodes: readonly ObservedNode[]; readonly jobs: readonly ObservedJob[] },
  ledger: Ledger,
): readonly string[] {
  const shown = new Map(nodes.map((node) => [node.name, node]));
  const doubtful = jobs.flatMap((job) => {
    const machine = job.labels[labels.nodeUid];
    const node = shown.get(job.annotations[annotations.nodeName] ?? '');
    if (node === undefined || machine === undefined || machine === node.uid) return [];
    if (job.deletionTimestamp !== undefined) return [];
    const starts = node.skip === undefined && !ledger.has(node.key);
    return isFinishedJob(job) && !starts ? [] : [node.name];
  });
  return [...new Set(doubtful)];
}

/** Reads the nodes of these names from the API server. */
export async function withMachinesNow(
  { spec }: DaemonJob,
  nodes: readonly ObservedNode[],
  names: readonly string[],
  reader: Reader,
): Promise<readonly ObservedNode[]> {
  const asked = await Promise.all(
    names.map((name) => reader.get(resources.Node, { namespace: '', name }, undefined, 'now')),
  );
  const found = observedNodesOf(
    spec,
    asked.filter((node) => node !== undefined),
  );
  const others = nodes.filter(({ name }) => !names.includes(name));
  return [...others, ...found].sort((left, right) => compareTexts(left.name, right.name));
}

/** Sorts its argument in place. */
function observedNodesOf(spec: DaemonJob['spec'], nodes: KubeObject[]): readonly ObservedNode[] {
  const pod = placedTemplate(spec).spec as JsonObject;
  const takesAll = spec.eligibility === 'All';
  return nodes
    .sort((left, right) => compareTexts(left.metadata.name, right.metadata.name))
    .map((node) => observedNode(node, pod, takesAll));
}

function nodeOfRunning(job: ObservedJob): readonly string[] {
  const name = job.annotations[annotations.nodeName];
  const isKnown = name !== undefined && job.labels[labels.nodeUid] !== undefined;
  return isKnown && !isFinishedJob(job) ? [name] : [];
}

function observedNode(node: KubeObject, pod: JsonObject, takesAll: boolean): ObservedNode {
  const known = observedNodes.get(node);
  if (known?.pod === pod && known.takesAll === takesAll) return known.observed;
  const observed = observedBy(node, pod, takesAll);
  observedNodes.set(node, { pod, takesAll, observed });
  return observed;
}

/** A view returns the same node until it changes, so the result is kept for each node and template. */
const observedNodes = new WeakMap<
  KubeObject,
  { readonly pod: JsonObject; readonly takesAll: boolean; readonly observed: ObservedNode }
>();

function observedBy(node: KubeObject, pod: JsonObject, takesAll: boolean): ObservedNode {
  const { name, uid, creationTimestamp } = node.metadata;
  const facts = nodeFacts(node);
  const skip = ineligibility(facts, pod, takesAll);
  return {
    name,
    uid,
    key: nodeKey(uid),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(skip === undefined ? {} : { skip }),
    ...(facts.ready === 'True' ? {} : { isSilent: true as const }),
  };
}
