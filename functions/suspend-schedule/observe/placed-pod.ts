import { isList, isObject } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { PlacedPod } from '../placed-pod.ts';
import { fieldsOf } from '#shared/suspension/governed-object.ts';

/** Where the Pods of a Job may run, as its template says. */
export function placedPodOf({ spec }: KubeObject): PlacedPod {
  const pod = fieldsOf(fieldsOf(fieldsOf(spec)['template'])['spec']);
  const { nodeSelector, tolerations = null, affinity } = pod;
  const { nodeAffinity } = fieldsOf(affinity);
  return {
    ...(isObject(nodeSelector) ? { nodeSelector: nodeSelector as Record<string, string> } : {}),
    ...(isList(tolerations) ? { tolerations: tolerations } : {}),
    ...(isObject(nodeAffinity) ? { nodeAffinity } : {}),
  };
}
