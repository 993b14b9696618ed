import type { AccessRule } from '#shared/domain/access-rule.ts';
import { submittedKinds } from './submission.ts';
import { resources } from '#shared/domain/resources.ts';

const referred = new Set(submittedKinds.flatMap(({ templates }) => templates?.resource ?? []));
const created = new Set(submittedKinds.map(({ creates }) => creates));

/**
 * The requests that admission sends while a user waits.
 *
 * @contract deploy/generate.ts finds it here and renders the Role of flow-admission from it.
 */
export const flowAdmissionAccess: readonly AccessRule[] = [
  ...[...referred].map((resource): AccessRule => ({ resource, verbs: ['get'] })),
  { resource: resources.Node, verbs: ['get'] },
  // Only for trials (dryRun=All), but RBAC has no smaller right.
  ...[...created].map((resource): AccessRule => ({ resource, verbs: ['create'] })),
  { resource: resources.SubjectAccessReview, verbs: ['create'] },
  // Its uid identifies the cluster, and so the journal of reviews.
  { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
];
