/**
 * Refuses policies that cannot be followed: an unknown time zone, an invalid cron expression, a window that never
 * opens. It may fail open: suspend-schedule reports the same faults in the status, and does nothing.
 */
import { type Admission, defineAdmission } from '#shared/admission/admission.ts';
import { suspendPolicyFaults } from '#shared/api/suspend-policy-rules.ts';
import type { ClusterSuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { AdmissionDecision, Review } from '#shared/domain/admission-decision.ts';
import { policyResources } from '#shared/suspension/selection.ts';

const specChanges = [
  { name: 'spec-changes', expression: 'oldObject == null || object.spec != oldObject.spec' },
] as const;

export const checkPolicy: Admission = defineAdmission({
  name: 'policy-validation',
  mode: 'validating',
  reviews: policyResources.map(({ group, version, plural }) => ({
    resource: { group, version, plural },
    operations: ['CREATE', 'UPDATE'],
  })),
  registration: { failurePolicy: 'Ignore', timeoutSeconds: 3, matchConditions: specChanges },
  decide: judge,
});

/** The API server has already validated the object by its schema. */
function judge({ object }: Review): AdmissionDecision {
  const faults = suspendPolicyFaults(object?.['spec'] as unknown as ClusterSuspendPolicySpec);
  if (faults.length === 0) return { allowed: true };
  const message = faults.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  return { allowed: false, code: 422, reason: 'Invalid', message };
}
