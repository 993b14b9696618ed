/** nodeSelector and required node affinity (component-helpers scheduling/corev1/nodeaffinity). */
import type { Node, NodeRequirement, NodeSelectorTerm } from '../objects/node.ts';
import type { PodSpec } from '../objects/pod.ts';

/** Terms are alternatives; an empty term selects nothing. Preferences are not looked at. */
export function selectsNode({ nodeSelector, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const wanted = Object.entries(nodeSelector ?? {});
  if (!wanted.every(([key, value]) => labels[key] === value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => meets(term, node));
}

function meets({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    matchExpressions.every((requirement) => holds(requirement, labels[requirement.key])) &&
    // The only field there is (pkg/apis/core/validation).
    matchFields.every(
      (requirement) =>
        requirement.key === 'metadata.name' && holds(requirement, node.metadata.name),
    )
  );
}

function holds({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isInteger(value) && Number(value) > Number(values[0]);
    case 'Lt':
      return isInteger(value) && Number(value) < Number(values[0]);
  }
}

const isInteger = (value: string | undefined): boolean =>
  value !== undefined && /^-?\d+$/.test(value);
