import type { ReviewUser } from '#shared/domain/admission-decision.ts';
import { resources } from '#shared/domain/resources.ts';
import type { AccessQuestion } from '#shared/kube/access-review.ts';

/** Who may write the status of Workloads says what is admitted, and with it where it runs. */
export function admissionRight(user: ReviewUser, namespace: string): AccessQuestion {
  const resource = resources.Workload;
  return { user, verb: 'patch', resource, subresource: 'status', namespace };
}
