/** Changes of a node's labels wake the wrappers whose Pods there request an extended resource. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { Json, KubeObject, ObjectKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Index, SeenObjects } from '#shared/subscription/subscription.ts';
import { wrapperKeyOf } from './pods.ts';

export function nodeFingerprint({ metadata: { labels = {} } }: KubeObject): Json {
  return Object.entries(labels).sort(([left], [right]) => compareTexts(left, right));
}

export function keepOfNode({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, labels } = metadata;
  const known = labels === undefined ? {} : { labels };
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, ...known } };
}

/** Built on first use, so a batch of events about many nodes costs a single pass. */
export const wrappersOfNode: Index = (seen) => {
  let byNode: ReadonlyMap<string, readonly ObjectKey[]> | undefined;
  return ({ name }) => (byNode ??= wrappersByNode(seen)).get(name) ?? [];
};

function wrappersByNode(seen: SeenObjects): ReadonlyMap<string, readonly ObjectKey[]> {
  const found = new Map<string, Map<string, ObjectKey>>();
  for (const pod of seen.list(resources.Pod)) {
    const { nodeName, containers } = fieldsOf(pod.spec);
    const key = wrapperKeyOf(pod);
    if (key === undefined || typeof nodeName !== 'string') continue;
    if (listOf(containers).length === 0) continue;
    const there = found.get(nodeName) ?? new Map<string, ObjectKey>();
    found.set(nodeName, there.set(key.uid, key));
  }
  return new Map([...found].map(([node, wrappers]) => [node, [...wrappers.values()]]));
}
