import { fieldsOf, isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';

/** What of a Pod template a placement changes. */
export interface PlacedPod {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
  readonly nodeAffinity?: JsonObject;
}

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
