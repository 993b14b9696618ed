/** What wakes kueue-workload-sync: a flow in a queue, its Workload, and the JobTemplates that it names. */
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import { flowsByTemplate } from '#shared/subscription/flows-by-template.ts';
import { specFingerprint } from '#shared/subscription/fingerprint.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { queuedFingerprint, workloadFingerprint } from './subscription/fingerprints.ts';
import { isQueued, isUnfinished, mayStillStart } from './subscription/unfinished.ts';

const { Job, JobFlow, JobTemplate, Workload } = resources;

export const subscription: Subscription = {
  name: 'kueue-workload-sync',
  decides: [JobFlow],
  kinds: [],
  watches: [
    { resource: JobFlow, leadsTo: 'self', fingerprint: queuedFingerprint, keep: stripMetadata },
    {
      resource: JobTemplate,
      leadsTo: flowsByTemplate(JobFlow, mayStillStart),
      fingerprint: specFingerprint,
      keep: stripMetadata,
    },
    {
      resource: Workload,
      neededBy: [{ resource: JobFlow, when: isQueued }],
      leadsTo: 'controller',
      fingerprint: workloadFingerprint,
      keep: stripMetadata,
    },
  ],
  isUnfinished,
  access: [
    { resource: JobFlow, verbs: ['get', 'patch'] },
    // blockOwnerDeletion in an owner reference asks for it (OwnerReferencesPermissionEnforcement).
    { resource: JobFlow, subresource: 'finalizers', verbs: ['update'] },
    { resource: JobTemplate, verbs: ['get'] },
    { resource: Job, verbs: ['list', 'patch'] },
    { resource: Workload, verbs: ['get', 'list', 'create', 'patch', 'delete'] },
    { resource: Workload, subresource: 'status', verbs: ['patch'] },
    { resource: resources.ResourceFlavor, verbs: ['get'] },
    { resource: resources.WorkloadPriorityClass, verbs: ['get'] },
    { resource: resources.PriorityClass, verbs: ['get'] },
    { resource: resources.Event, verbs: ['create'] },
    // Its uid names the cluster, and so the journal.
    { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
  ],
};
