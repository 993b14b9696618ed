/** Finds the objects that a policy selects. */
import { suspendPolicyFaults } from '#shared/api/suspend-policy-rules.ts';
import { type SuspendPolicy, suspendPolicyDefaults } from '#shared/api/suspend-policy.ts';
import { fieldsOf, isList } from '#shared/domain/json-value.ts';
import { isSelected } from '#shared/domain/label-selector.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { type KubeObject, objectName, type ObjectKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { GovernedObject } from './governed-object.ts';

type Labels = Readonly<Record<string, string>>;

/** The namespaces and their known labels. */
export interface Namespaces {
  readonly labelsOf: (namespace: string) => Labels;
  /** A ClusterSuspendPolicy selects nothing there unless it names the namespace. */
  readonly exempt: readonly string[];
}

export function selects(
  { kind, metadata, spec }: Pick<SuspendPolicy, 'kind' | 'metadata' | 'spec'>,
  object: Pick<GovernedObject, 'kind' | 'namespace' | 'labels'>,
  { labelsOf, exempt }: Namespaces,
): boolean {
  const kinds: readonly string[] = spec.kinds ?? suspendPolicyDefaults.kinds;
  if (!kinds.includes(object.kind)) return false;
  if (kind === resources.SuspendPolicy.kind) {
    if (metadata.namespace !== object.namespace) return false;
  } else {
    const { namespaceSelector = {} } = spec;
    if (exempt.includes(object.namespace) && !names(namespaceSelector, object.namespace))
      return false;
    if (!isSelected(namespaceSelector, labelsOf(object.namespace))) return false;
  }
  return isSelected(spec.selector ?? {}, object.labels);
}

const nameLabel = 'kubernetes.io/metadata.name';

/** Only by the label that the API server sets on each namespace. A selector with any other label does not name it. */
function names(
  { matchLabels, matchExpressions = [] }: NonNullable<SuspendPolicy['spec']['namespaceSelector']>,
  namespace: string,
): boolean {
  if (ownMember(matchLabels ?? {}, nameLabel) === namespace) return true;
  return matchExpressions.some(
    ({ key, operator, values = [] }) =>
      key === nameLabel && operator === 'In' && values.includes(namespace),
  );
}

/** Whether a policy names this kind itself. */
export function namesKind(kind: string): (policy: KubeObject) => boolean {
  return ({ spec }) => {
    const { kinds } = fieldsOf(spec);
    return isList(kinds) && kinds.includes(kind);
  };
}

/** A policy that only reports, or is being deleted, changes nothing. */
export function isFollowed({ metadata, spec }: SuspendPolicy): boolean {
  return metadata.deletionTimestamp === undefined && spec.dryRun !== true;
}

/** A policy that cannot be followed changes nothing either. */
export function takesPart(policy: SuspendPolicy): boolean {
  return isFollowed(policy) && suspendPolicyFaults(policy.spec).length === 0;
}

export function policyKey({ apiVersion, kind, metadata }: KubeObject): ObjectKey {
  return { apiVersion, kind, ...objectName(metadata), uid: metadata.uid };
}

/** The resources of both kinds of policy. */
export const policyResources = [resources.SuspendPolicy, resources.ClusterSuspendPolicy] as const;
