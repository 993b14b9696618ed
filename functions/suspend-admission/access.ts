import type { AccessRule } from '#shared/domain/access-rule.ts';
import { resources } from '#shared/domain/resources.ts';
import { managedResources } from '#shared/api/work/queued-kinds.ts';
import { followed } from './policy-book.ts';

/**
 * The resources that suspend-admission follows, and the owners that it reads.
 *
 * @contract deploy/generate.ts finds it here and renders the Role of suspend-admission from it.
 */
export const suspendAdmissionAccess: readonly AccessRule[] = [
  ...followed.map((resource): AccessRule => ({ resource, verbs: ['list', 'watch'] })),
  ...managedResources.map((resource): AccessRule => ({ resource, verbs: ['get'] })),
  { resource: resources.SubjectAccessReview, verbs: ['create'] },
  // Its uid identifies the cluster, and so the journal of reviews.
  { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
];
