import type { AccessRule } from '#shared/domain/access-rule.ts';
import { resources } from '#shared/domain/resources.ts';

/**
 * What appwrapper-admission asks of the API server while a user waits. Which kinds are served may be asked by all.
 *
 * @contract deploy/generate.ts finds it here and renders the Role of appwrapper-admission from it.
 */
export const wrapperAdmissionAccess: readonly AccessRule[] = [
  { resource: resources.SubjectAccessReview, verbs: ['create'] },
  // Its uid names the cluster, and so the journal of reviews.
  { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
];
