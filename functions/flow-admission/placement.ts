/**
 * The placement of Pods that Kueue has admitted (`spec.podSetInfos`). An admission sets it, not a submitter. It is
 * accepted from users who may write Kueue's admissions, that is the status of its Workloads.
 */
import type { Denied, Review } from '#shared/domain/admission-decision.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { AccessAnswer } from '#shared/kube/access-review.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { admissionRight } from '#shared/kueue/admission-right.ts';

export const placementField = 'podSetInfos';

/** Undefined: the placement does not change. At a creation it is judged as part of the work. */
export async function mayPlace(
  { user, namespace, object, oldObject }: Review,
  cluster: Inquiry,
  signal: AbortSignal,
): Promise<AccessAnswer | undefined> {
  if (oldObject === undefined) return undefined;
  const [before, after] = [oldObject, object].map(
    (each) => fieldsOf(each?.['spec'])[placementField] ?? null,
  );
  if (jsonEqual(before, after)) return undefined;
  return cluster.access(admissionRight(user, namespace), signal);
}

export function placementDenial(
  { user, namespace }: Review,
  answer: AccessAnswer | undefined,
): Denied | undefined {
  if (answer?.allowed !== false) return undefined;
  const why = answer.reason === undefined ? '' : `: ${answer.reason}`;
  const message =
    `spec.${placementField}: it is what an admission of Kueue said, and ${user.username} may not patch ` +
    `workloads.kueue.x-k8s.io/status in the namespace ${namespace}${why}; leave it as it is`;
  return { allowed: false, code: 403, reason: 'Forbidden', message };
}
