/** A policy, the work that it selects, that work's Workloads, and other policies wake suspend-schedule. */
import { clusterSuspendPolicyKind, suspendPolicyKind } from '#shared/api/suspend-policy.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import type { Subscription, Watch } from '#shared/subscription/subscription.ts';
import {
  governedFingerprint,
  labelsFingerprint,
  policyFingerprint,
  workloadFingerprint,
} from './subscription/fingerprints.ts';
import { everyPolicy, policiesOfObject, policiesOfWorkload } from './subscription/indexes.ts';
import { keepOfNamespace, keepOfPriorityClass } from './subscription/keep-small.ts';
import { type GovernedKind, governedKinds } from '#shared/api/work/governed-kinds.ts';
import { keepOfWorkload, workloadWork } from '#shared/api/work/workload.ts';
import { governedObject } from '#shared/suspension/governed-object.ts';
import { namesKind, policyResources } from '#shared/suspension/selection.ts';
import { isUnfinished } from './subscription/unfinished.ts';

const { Namespace, PriorityClass } = resources;
const { resource: Workload } = workloadWork;
const queued = governedKinds
  .filter(({ isQueued }) => isQueued === true)
  .map(({ resource }) => resource);

const isOfKueue = (object: KubeObject): boolean => governedObject(object)?.untouchable === 'Kueue';

export const subscription: Subscription = {
  name: 'suspend-schedule',
  decides: policyResources,
  kinds: [suspendPolicyKind, clusterSuspendPolicyKind],
  watches: [
    ...policyResources.map((resource): Watch => ({
      resource,
      leadsTo: everyPolicy,
      fingerprint: policyFingerprint,
      keep: stripMetadata,
    })),
    ...governedKinds.map((kind) => watchOf(kind)),
    {
      resource: Workload,
      neededBy: queued.map((resource) => ({ resource, when: isOfKueue })),
      leadsTo: policiesOfWorkload(queued),
      fingerprint: workloadFingerprint,
      keep: keepOfWorkload,
    },
    {
      resource: Namespace,
      leadsTo: everyPolicy,
      fingerprint: labelsFingerprint,
      keep: keepOfNamespace,
    },
    {
      resource: PriorityClass,
      leadsTo: everyPolicy,
      fingerprint: ({ metadata }) => metadata.resourceVersion,
      keep: keepOfPriorityClass,
    },
  ],
  isUnfinished,
  access: [
    ...policyResources.flatMap((resource): readonly AccessRule[] => [
      { resource, verbs: ['get', 'list', 'patch'] },
      { resource, subresource: 'status', verbs: ['patch'] },
    ]),
    ...[...governedKinds, workloadWork].map(({ resource }): AccessRule => ({
      resource,
      verbs: ['get', 'list', 'patch'],
    })),
    { resource: PriorityClass, verbs: ['list'] },
    { resource: Namespace, verbs: ['list'] },
    { resource: resources.Event, verbs: ['create'] },
    // Its uid identifies the cluster, and so the journal.
    { resource: Namespace, names: ['kube-system'], verbs: ['get'] },
  ],
};

function watchOf({ resource, isOptional, suspension }: GovernedKind): Watch {
  const { isChildToo, keep = stripMetadata } = suspension;
  const when = namesKind(resource.kind);
  return {
    resource,
    ...(isChildToo === true ? { only: 'others' } : {}),
    ...(isOptional === true
      ? { neededBy: policyResources.map((policies) => ({ resource: policies, when })) }
      : {}),
    leadsTo: policiesOfObject(resource),
    fingerprint: governedFingerprint,
    keep,
  };
}
