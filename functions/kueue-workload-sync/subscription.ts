/** Queued jobs, their Workloads, and the objects that podSets are made from wake kueue-workload-sync. */
import { managedResources, queuedKinds } from '#shared/api/work/queued-kinds.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import { specFingerprint } from '#shared/subscription/fingerprint.ts';
import { namedBy } from '#shared/subscription/named-by.ts';
import type { Subscription, Watch } from '#shared/subscription/subscription.ts';
import { queuedFingerprint, workloadFingerprint } from './subscription/fingerprints.ts';
import { admittedWith } from './subscription/admitted-with.ts';
import { isUnfinished, mayStillStart, mayWait } from './subscription/unfinished.ts';

const { Job, Workload } = resources;
const decides = queuedKinds.map(({ resource }) => resource);

export const subscription: Subscription = {
  name: 'kueue-workload-sync',
  decides,
  kinds: [],
  watches: [
    ...queuedKinds.map((kind): Watch => ({
      resource: kind.resource,
      leadsTo: 'self',
      fingerprint: queuedFingerprint(kind),
      keep: stripMetadata,
    })),
    ...queuedKinds.flatMap((kind): readonly Watch[] => {
      const { needs } = kind.queueing;
      if (needs === undefined) return [];
      return [
        {
          resource: needs.resource,
          leadsTo: namedBy(kind.resource, needs.namesIn, mayStillStart(kind)),
          fingerprint: specFingerprint,
          keep: stripMetadata,
        },
      ];
    }),
    {
      resource: Workload,
      neededBy: decides.map((resource) => ({ resource, when: mayWait })),
      leadsTo: admittedWith(decides),
      outlivesOwner: true,
      fingerprint: workloadFingerprint,
      keep: stripMetadata,
    },
  ],
  isUnfinished,
  access: [
    ...queuedKinds.flatMap(({ resource, queueing: { needs } }): readonly AccessRule[] => [
      // `delete` is needed for Kueue's afterDeactivatedByKueue.
      { resource, verbs: ['get', 'patch', 'delete'] },
      // Needed for blockOwnerDeletion in an owner reference (OwnerReferencesPermissionEnforcement).
      { resource, subresource: 'finalizers', verbs: ['update'] },
      ...(needs === undefined ? [] : [{ resource: needs.resource, verbs: ['get'] as const }]),
    ]),
    // Owners that only Kueue manages.
    ...managedResources
      .filter((resource) => resource !== Job && !decides.includes(resource))
      .map((resource): AccessRule => ({ resource, verbs: ['get'] })),
    { resource: Job, verbs: ['get', 'list', 'patch'] },
    { resource: Workload, verbs: ['get', 'list', 'create', 'patch', 'delete'] },
    { resource: Workload, subresource: 'status', verbs: ['patch'] },
    { resource: resources.ResourceFlavor, verbs: ['get'] },
    { resource: resources.WorkloadPriorityClass, verbs: ['get'] },
    { resource: resources.PriorityClass, verbs: ['get'] },
    { resource: resources.Event, verbs: ['create'] },
    // Its uid identifies the cluster, and so the journal.
    { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
  ],
};
