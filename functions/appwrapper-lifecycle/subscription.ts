/** The objects that wake appwrapper-lifecycle: a wrapper, the wrapped resources and their Pods. */
import { appWrapperKind } from '#shared/api/app-wrapper.ts';
import { usualKinds } from '#shared/api/wrapped/usual-kinds.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import type { Subscription, Watch } from '#shared/subscription/subscription.ts';
import { componentFingerprint, wrapperFingerprint } from './subscription/fingerprints.ts';
import { keepOfNode, nodeFingerprint, wrappersOfNode } from './subscription/nodes.ts';
import { keepOfPod, podFingerprint, wrapperOfPod } from './subscription/pods.ts';
import { isUnfinished } from './subscription/unfinished.ts';
import { keepOfComponent, wrappedKinds } from './subscription/wrapped.ts';

const { AppWrapper, DaemonJob, Job, JobFlow, Node, Pod } = resources;

/** Kinds that other functions follow anyway. */
const known = [Job, JobFlow, DaemonJob];

export const subscription: Subscription = {
  name: 'appwrapper-lifecycle',
  decides: [AppWrapper],
  kinds: [appWrapperKind],
  watches: [
    { resource: AppWrapper, leadsTo: 'self', fingerprint: wrapperFingerprint, keep: stripMetadata },
    {
      resource: Pod,
      only: 'children',
      leadsTo: wrapperOfPod,
      fingerprint: podFingerprint,
      keep: keepOfPod,
    },
    {
      resource: Node,
      isListed: true,
      leadsTo: wrappersOfNode,
      fingerprint: nodeFingerprint,
      keep: keepOfNode,
    },
    ...known.map((resource): Watch => ({
      resource,
      only: 'children',
      leadsTo: 'controller',
      fingerprint: componentFingerprint,
      keep: keepOfComponent,
    })),
  ],
  follows: {
    kindsOf: wrappedKinds,
    usual: usualKinds,
    fingerprint: componentFingerprint,
    keep: keepOfComponent,
  },
  isUnfinished,
  access: [
    { resource: AppWrapper, verbs: ['get', 'patch', 'delete'] },
    { resource: AppWrapper, subresource: 'status', verbs: ['patch'] },
    // Needed for blockOwnerDeletion in an owner reference (OwnerReferencesPermissionEnforcement).
    { resource: AppWrapper, subresource: 'finalizers', verbs: ['update'] },
    // To check whether a resource that a Pod requests is broken on its node.
    { resource: Node, verbs: ['list'] },
    { resource: Pod, verbs: ['get', 'list', 'create', 'delete'] },
    ...[...known, ...usualKinds].map(
      (resource) => ({ resource, verbs: ['get', 'create', 'delete'] }) as const,
    ),
    { resource: resources.Event, verbs: ['create'] },
    // To check whether the submitter may still create the wrapped resources.
    { resource: resources.SubjectAccessReview, verbs: ['create'] },
    // Its uid identifies the cluster, and so the journal.
    { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
  ],
};
