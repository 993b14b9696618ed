/**
 * What is to be created, judged by the policy on Pods: once more after admission, which may have been off,
 * or have seen another template. Who may use a service account is asked of the API server
 * (submitter-permissions.ts).
 */
import { isObject } from '#shared/domain/json-value.ts';
import type { Plan } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { breachesOf, breachWords, type PodPolicy } from '#shared/policy/pod-policy.ts';

/** As a refusal of the API server is told. Without a policy nothing is refused. */
export function policyRefusals(policy: PodPolicy | undefined, plan: Plan): readonly Rejection[] {
  if (policy === undefined) return [];
  return plan.flat().flatMap((operation): readonly Rejection[] => {
    if (operation.kind !== 'create') return [];
    const { object } = operation;
    // Whatever it is: without a template of Pods the rules find nothing in it.
    if (!isObject(object.spec)) return [];
    const [first] = breachesOf(object.spec, policy).filter(
      ({ rule, action }) => action === 'deny' && rule !== 'serviceAccount',
    );
    if (first === undefined) return [];
    return [{ name: object.metadata.name, code: 'Forbidden', message: breachWords(first) }];
  });
}
