/** The objects that wake daemon-fanout: a DaemonJob, its Jobs, problems of their Pods, and nodes. */
import { daemonJobKind } from '#shared/api/daemon-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import { controllerOfController } from '#shared/subscription/controller-of-controller.ts';
import {
  jobFingerprint,
  podFingerprint,
  wishFingerprint,
} from '#shared/subscription/fingerprint.ts';
import { keepOfJob, keepOfPod } from '#shared/subscription/keep.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { daemonJobsOfNode } from './subscription/daemon-jobs-of-node.ts';
import { keepOfNode, nodeFingerprint } from './subscription/node.ts';
import { isUnfinished } from './subscription/unfinished.ts';

const { DaemonJob, Job, Node, Pod } = resources;

export const subscription: Subscription = {
  name: 'daemon-fanout',
  decides: [DaemonJob],
  kinds: [daemonJobKind],
  watches: [
    { resource: DaemonJob, leadsTo: 'self', fingerprint: wishFingerprint, keep: stripMetadata },
    {
      resource: Node,
      isListed: true,
      leadsTo: daemonJobsOfNode,
      fingerprint: nodeFingerprint,
      keep: keepOfNode,
    },
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
      leadsTo: controllerOfController(DaemonJob, Job),
      fingerprint: podFingerprint,
      keep: keepOfPod,
    },
  ],
  isUnfinished,
  access: [
    { resource: DaemonJob, verbs: ['get', 'delete'] },
    { resource: DaemonJob, subresource: 'status', verbs: ['patch'] },
    // Needed for blockOwnerDeletion in an owner reference (OwnerReferencesPermissionEnforcement).
    { resource: DaemonJob, subresource: 'finalizers', verbs: ['update'] },
    { resource: Node, verbs: ['get', 'list'] },
    { resource: Job, verbs: ['get', 'list', 'create', 'patch', 'delete'] },
    { resource: Pod, verbs: ['list'] },
    // Only the Events of a Job say why it has no Pod.
    { resource: resources.Event, verbs: ['list', 'create'] },
    // To check whether the submitter may still create Jobs.
    { resource: resources.SubjectAccessReview, verbs: ['create'] },
    // Its uid identifies the cluster, and so the journal.
    { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
  ],
};
