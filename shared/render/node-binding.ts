/** All Pods of a flow on one node (rule 7). */
import type { PodSpec } from '#shared/api/pod-template.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

/**
 * `Affinity` goes through the scheduler, which queues the Pod while the node is full, as DaemonSet
 * does. `Direct` writes spec.nodeName, and the kubelet then fails a Pod that does not fit. A step
 * that names a node itself keeps it.
 */
export function bindToNode(pod: PodSpec, node: string, binding: 'Affinity' | 'Direct'): PodSpec {
  if (pod.nodeName !== undefined && pod.nodeName !== '') return pod;
  if (binding === 'Direct') return { ...pod, nodeName: node };
  return { ...pod, affinity: withRequiredNode(fieldsOf(pod.affinity), node) };
}

const requiredKey = 'requiredDuringSchedulingIgnoredDuringExecution';

function withRequiredNode(affinity: JsonObject, node: string): JsonObject {
  const nodeAffinity = fieldsOf(affinity['nodeAffinity']);
  const required = fieldsOf(nodeAffinity[requiredKey]);
  const nodeSelectorTerms = withNodeField(required['nodeSelectorTerms'], node);
  return {
    ...affinity,
    nodeAffinity: { ...nodeAffinity, [requiredKey]: { ...required, nodeSelectorTerms } },
  };
}

/**
 * Terms are alternatives, and all parts of one term are required. So the node is added to every
 * term, except an empty one, which matches no node and must stay so.
 */
function withNodeField(terms: Json | undefined, node: string): readonly JsonObject[] {
  const field = { key: 'metadata.name', operator: 'In', values: [node] };
  if (!Array.isArray(terms) || terms.length === 0) return [{ matchFields: [field] }];
  return (terms as readonly Json[]).map((term) => {
    const members = fieldsOf(term);
    if (Object.keys(members).length === 0) return members;
    return { ...members, matchFields: [...listOf(members['matchFields']), field] };
  });
}
