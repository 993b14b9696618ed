/**
 * Checks what is to be created against the policy on Pods. Admission may have been off, or have seen
 * another template. The right to a service account is checked with the API server
 * (submitter-permissions.ts).
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Plan } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { breachWords, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { breachesIn } from '#shared/policy/pod-templates.ts';

/** In the form of refusals by the API server. Without a policy nothing is refused. */
export function policyRefusals(policy: PodPolicy | undefined, plan: Plan): readonly Rejection[] {
  if (policy === undefined) return [];
  return plan.flat().flatMap((operation): readonly Rejection[] => {
    if (operation.kind !== 'create') return [];
    const { object } = operation;
    const [first] = breachesIn(object as unknown as JsonObject, policy).filter(
      ({ rule, action }) => action === 'deny' && rule !== 'serviceAccount',
    );
    if (first === undefined) return [];
    return [{ name: object.metadata.name, code: 'Forbidden', message: breachWords(first) }];
  });
}
