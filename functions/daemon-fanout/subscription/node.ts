/** The parts of a node that decide whether it can run a Pod. Heartbeats wake no function. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import { nodeFacts } from '#shared/domain/node-facts.ts';
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';

export function nodeFingerprint(node: KubeObject): Json {
  const { labels, taints, isUnschedulable, isDeleting, ready } = nodeFacts(node);
  return [
    Object.entries(labels).sort(([left], [right]) => compareTexts(left, right)),
    taints.map(({ key, value, effect }) => [key, value, effect]),
    isUnschedulable,
    isDeleting,
    ready ?? null,
  ];
}

export function keepOfNode({ apiVersion, kind, metadata, spec, status }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels } = metadata;
  const { unschedulable, taints } = fieldsOf(spec);
  const { conditions } = fieldsOf(status);
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: {
      ...(unschedulable === undefined ? {} : { unschedulable }),
      ...(taints === undefined ? {} : { taints }),
    },
    status: { conditions: readiness(conditions) },
  };
}

function readiness(conditions: Json | undefined): readonly JsonObject[] {
  return listOf(conditions)
    .map(fieldsOf)
    .filter(({ type }) => type === 'Ready')
    .map(({ type, status }) => ({ type, status }));
}
