/** Whether a Pod runs on a node where a resource that it requests is broken. */
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { extendedResourcesOf } from './subscription/extended-resources.ts';
import type { NodeHealth, ResourceTaint } from './rules.ts';
import type { BrokenNode } from './snapshot.ts';

/** The taints that would evict this Pod from a node that is labelled with one of them. */
export function evictingTaints(
  { spec, status }: KubeObject,
  { resets, taints }: NodeHealth,
): readonly ResourceTaint[] {
  const isRunning = fieldsOf(status)['phase'] === 'Running';
  if (!resets || !isRunning || typeof fieldsOf(spec)['nodeName'] !== 'string') return [];
  const wanted = extendedResourcesOf(fieldsOf(spec)['containers']);
  return taints.filter(({ effect, resource }) => effect === 'NoExecute' && wanted.has(resource));
}

/** `labels`: those of each node, by its name. Undefined: no broken resource is known. */
export function brokenNodeOf(
  pod: KubeObject,
  health: NodeHealth,
  labels: ReadonlyMap<string, Readonly<Record<string, string>>>,
): BrokenNode | undefined {
  const { nodeName: name } = fieldsOf(pod.spec);
  if (typeof name !== 'string') return undefined;
  const found = evictingTaints(pod, health).find(
    ({ key, value }) => ownMember(labels.get(name) ?? {}, key) === value,
  );
  return found && { name, resource: found.resource, label: `${found.key}=${found.value}` };
}
