/** Refusals by a kubelet: Pods that bypassed the scheduler and do not fit (pkg/kubelet/lifecycle/predicate.go). */
import { rfc3339 } from '#shared/domain/time.ts';
import type { Node } from '../objects/node.ts';
import type { Pod, PodStatus } from '../objects/pod.ts';
import { selectsNode } from '../scheduling/node-affinity.ts';
import { shortages } from '../scheduling/node-fit.ts';
import type { NodeLoad } from '../scheduling/node-load.ts';
import { requestsOf } from '../scheduling/pod-requests.ts';
import { untolerated } from '../scheduling/taints.ts';

export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** Undefined: the Pod is accepted. */
export type Admission = (pod: Pod, node: Node) => Refusal | undefined;

export function admissionBy(load: NodeLoad): Admission {
  return (pod, node) => {
    if (!selectsNode(pod.spec, node)) {
      return refusal('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
    }
    if (untolerated(node, pod.spec.tolerations, ['NoExecute']).length > 0) {
      return refusal('TaintToleration', "node(s) had taints that the pod didn't tolerate");
    }
    const [short] = shortages(requestsOf(pod), node, load.admittedOn(node.metadata.name));
    if (short === undefined) return undefined;
    const { resource, requested, used, capacity } = short;
    const message =
      `Pod was rejected: Node didn't have enough resource: ${resource}, ` +
      `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
    return { reason: `OutOf${resource}`, message };
  };
}

function refusal(predicate: string, why: string): Refusal {
  return { reason: predicate, message: `Pod was rejected: Predicate ${predicate} failed: ${why}` };
}

export function rejectedStatus(pod: Pod, refusal: Refusal, nowMs: number): PodStatus {
  return { ...pod.status, phase: 'Failed', ...refusal, startTime: rfc3339(nowMs) };
}
