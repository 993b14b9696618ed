/**
 * What is to be created, judged by the policy on Pods: once more after admission, which may have been off,
 * or have seen another template. Who may use a service account is asked of the API server
 * (submitter-permissions.ts).
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Plan } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { breachWords, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { breachesIn } from '#shared/policy/pod-templates.ts';

/** As a refusal of the API server. Without a policy nothing is refused. */
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
