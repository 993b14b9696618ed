/** nodeSelector and required node affinity (component-helpers scheduling/corev1/nodeaffinity). */
import { hasLabels, holds, meets } from '../../apimachinery/label-selector.ts';
import type { Node, NodeSelectorTerm } from '../objects/node.ts';
import type { PodSpec } from '../objects/pod.ts';

/** Terms are alternatives. An empty term selects nothing. Preferences are ignored. */
export function selectsNode({ nodeSelector, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!hasLabels(nodeSelector ?? {}, labels)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matches(term, node));
}

function matches(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  node: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    matchExpressions.every((requirement) => meets(requirement, labels)) &&
    // The only field that exists (pkg/apis/core/validation).
    matchFields.every(
      (requirement) =>
        requirement.key === 'metadata.name' && holds(requirement, node.metadata.name),
    )
  );
}
