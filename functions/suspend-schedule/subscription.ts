/**
 * What wakes suspend-schedule: a policy, the Jobs, JobFlows, DaemonJobs and LocalQueues that it selects, the
 * Workloads that Kueue makes of them, and the other policies. One subscription for each of the two kinds of policies.
 */
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
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
import { keepOfGovernedJob } from './subscription/keep.ts';
import {
  keepOfNamespace,
  keepOfPriorityClass,
  keepOfQueue,
  keepOfWorkload,
} from './subscription/keep-small.ts';
import { governedObject } from '#shared/suspension/governed-object.ts';
import { governsQueues, policyResources } from '#shared/suspension/selection.ts';
import { isUnfinished } from './subscription/unfinished.ts';

const { ClusterSuspendPolicy, DaemonJob, Job, JobFlow, LocalQueue, SuspendPolicy } = resources;
const { Namespace, PriorityClass, Workload } = resources;

const isOfKueue = (object: KubeObject): boolean => governedObject(object)?.untouchable === 'Kueue';

export function subscriptionOf(
  name: string,
  decides: Resource,
  kind: KindDefinition,
): Subscription {
  return {
    name,
    decides,
    kinds: [kind],
    watches: [
      ...policyResources.map((resource): Watch => ({
        resource,
        leadsTo: everyPolicy(decides),
        fingerprint: policyFingerprint,
        keep: stripMetadata,
      })),
      ...[JobFlow, DaemonJob].map((resource): Watch => ({
        resource,
        leadsTo: policiesOfObject(decides, resource),
        fingerprint: governedFingerprint,
        keep: stripMetadata,
      })),
      {
        resource: Job,
        only: 'others',
        leadsTo: policiesOfObject(decides, Job),
        fingerprint: governedFingerprint,
        keep: keepOfGovernedJob,
      },
      {
        resource: LocalQueue,
        neededBy: policyResources.map((resource) => ({ resource, when: governsQueues })),
        leadsTo: policiesOfObject(decides, LocalQueue),
        fingerprint: governedFingerprint,
        keep: keepOfQueue,
      },
      {
        resource: Workload,
        neededBy: [Job, JobFlow, DaemonJob].map((resource) => ({ resource, when: isOfKueue })),
        leadsTo: policiesOfWorkload(decides, [Job, JobFlow, DaemonJob]),
        fingerprint: workloadFingerprint,
        keep: keepOfWorkload,
      },
      {
        resource: Namespace,
        leadsTo: everyPolicy(decides),
        fingerprint: labelsFingerprint,
        keep: keepOfNamespace,
      },
      {
        resource: PriorityClass,
        leadsTo: everyPolicy(decides),
        fingerprint: ({ metadata }) => metadata.resourceVersion,
        keep: keepOfPriorityClass,
      },
    ],
    isUnfinished,
    access: [
      { resource: decides, verbs: ['get', 'patch'] },
      { resource: decides, subresource: 'status', verbs: ['patch'] },
      { resource: SuspendPolicy, verbs: ['list'] },
      { resource: ClusterSuspendPolicy, verbs: ['list'] },
      { resource: Job, verbs: ['get', 'list', 'patch'] },
      { resource: JobFlow, verbs: ['get', 'list', 'patch'] },
      { resource: DaemonJob, verbs: ['get', 'list', 'patch'] },
      { resource: LocalQueue, verbs: ['get', 'list', 'patch'] },
      { resource: Workload, verbs: ['get', 'list', 'patch'] },
      { resource: PriorityClass, verbs: ['list'] },
      { resource: Namespace, verbs: ['list'] },
      { resource: resources.Event, verbs: ['create'] },
      // Its uid names the cluster, and so the journal.
      { resource: Namespace, names: ['kube-system'], verbs: ['get'] },
    ],
  };
}
