import { fieldsOf, isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';

/** The parts of a Pod template that a placement changes. */
export interface PlacedPod {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
  readonly nodeAffinity?: JsonObject;
}

/** The placement of a Job's Pods in its template. */
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
