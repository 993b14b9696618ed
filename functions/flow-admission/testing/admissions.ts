import type { Admission } from '#shared/admission/admission.ts';
import { withServices } from '#shared/admission/with-services.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { flowAdmission } from '../admissions.ts';

export function flowAdmissions(policy: PodPolicy): readonly Admission[] {
  return withServices(flowAdmission.admissions, { policy });
}
