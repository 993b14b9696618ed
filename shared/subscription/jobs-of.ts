/** The declarations of a kind that runs Jobs: JobFlow and DaemonJob. */
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { controllerOfController } from './controller-of-controller.ts';
import { jobFingerprint, podFingerprint } from './fingerprint.ts';
import { keepOfJob, keepOfPod } from './keep.ts';
import type { Watch } from './subscription.ts';

const { Job, Pod } = resources;

/** Its Jobs and problems of their Pods wake their owner. */
export function jobsOf(owner: Resource): readonly Watch[] {
  return [
    {
      resource: Job,
      only: 'children',
      leadsTo: 'controller',
      fingerprint: jobFingerprint,
      keep: keepOfJob,
    },
    {
      resource: Pod,
      only: 'children',
      leadsTo: controllerOfController(owner, Job),
      fingerprint: podFingerprint,
      keep: keepOfPod,
    },
  ];
}

/** `others`: resources that the kind reads besides. */
export function accessOfOwner(
  owner: Resource,
  ...others: readonly AccessRule[]
): readonly AccessRule[] {
  return [
    { resource: owner, verbs: ['get', 'delete'] },
    { resource: owner, subresource: 'status', verbs: ['patch'] },
    // Needed for blockOwnerDeletion in an owner reference (OwnerReferencesPermissionEnforcement).
    { resource: owner, subresource: 'finalizers', verbs: ['update'] },
    ...others,
    { resource: Job, verbs: ['get', 'list', 'create', 'patch', 'delete'] },
    { resource: Pod, verbs: ['list'] },
    // Only the Events of a Job say why it has no Pod.
    { resource: resources.Event, verbs: ['list', 'create'] },
    // To check whether the submitter may still create Jobs.
    { resource: resources.SubjectAccessReview, verbs: ['create'] },
    // Its uid identifies the cluster, and so the journal.
    { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
  ];
}
