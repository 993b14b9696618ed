import type { AccessRule } from '#shared/domain/access-rule.ts';
import { resources } from '#shared/domain/resources.ts';

/**
 * The requests that appwrapper-admission sends while a user waits. Every user may ask which kinds are served.
 *
 * @contract deploy/generate.ts finds it here and renders the Role of appwrapper-admission from it.
 */
export const wrapperAdmissionAccess: readonly AccessRule[] = [
  { resource: resources.SubjectAccessReview, verbs: ['create'] },
  // Its uid identifies the cluster, and so the journal of reviews.
  { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
];
