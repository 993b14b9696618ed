/** Which objects a policy selects. */
import { suspendPolicyFaults } from '#shared/api/suspend-policy-rules.ts';
import { type SuspendPolicy, suspendPolicyDefaults } from '#shared/api/suspend-policy.ts';
import { isList } from '#shared/domain/json-value.ts';
import { isSelected } from '#shared/domain/label-selector.ts';
import { type Json, type KubeObject, objectName, type ObjectKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { fieldsOf, type GovernedObject } from './governed-object.ts';

type Labels = Readonly<Record<string, string>>;

/** `labelsOf`: the labels of a namespace. */
export function selects(
  { kind, metadata, spec }: Pick<SuspendPolicy, 'kind' | 'metadata' | 'spec'>,
  object: Pick<GovernedObject, 'kind' | 'namespace' | 'labels'>,
  labelsOf: (namespace: string) => Labels,
): boolean {
  const kinds: readonly string[] = spec.kinds ?? suspendPolicyDefaults.kinds;
  if (!kinds.includes(object.kind)) return false;
  if (kind === resources.SuspendPolicy.kind) {
    if (metadata.namespace !== object.namespace) return false;
  } else if (!isSelected(spec.namespaceSelector ?? {}, labelsOf(object.namespace))) return false;
  return isSelected(spec.selector ?? {}, object.labels);
}

/** It names the queues of Kueue, which need not be there. */
export function governsQueues({ spec }: KubeObject): boolean {
  const { kinds } = fieldsOf(spec);
  return isList(kinds ?? null) && (kinds as readonly Json[]).includes(resources.LocalQueue.kind);
}

/** One that only reports, or that goes, wants nothing. */
export function isFollowed({ metadata, spec }: SuspendPolicy): boolean {
  return metadata.deletionTimestamp === undefined && spec.dryRun !== true;
}

/** One that cannot be followed wants nothing, either. */
export function takesPart(policy: SuspendPolicy): boolean {
  return isFollowed(policy) && suspendPolicyFaults(policy.spec).length === 0;
}

export function policyKey({ apiVersion, kind, metadata }: KubeObject): ObjectKey {
  return { apiVersion, kind, ...objectName(metadata), uid: metadata.uid };
}

/** The policies of either kind, as they are named. */
export const policyResources = [resources.SuspendPolicy, resources.ClusterSuspendPolicy] as const;
