/** flow-admission: who submits what runs Jobs, and whether it may and can be run. */
import type { Admission } from '#shared/admission/admission.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { checkSubmission } from './check-submission.ts';
import { recordSubmitter } from './record-submitter.ts';

export function flowAdmissions(policy: PodPolicy): readonly Admission[] {
  return [recordSubmitter, checkSubmission(policy)];
}
