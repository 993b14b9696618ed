import type { ReviewUser } from '#shared/domain/admission-decision.ts';
import { resources } from '#shared/domain/resources.ts';
import type { AccessQuestion } from '#shared/kube/access-review.ts';

/** A user who may write the status of Workloads decides what is admitted, and so where it runs. */
export function admissionRight(user: ReviewUser, namespace: string): AccessQuestion {
  const resource = resources.Workload;
  return { user, verb: 'patch', resource, subresource: 'status', namespace };
}
