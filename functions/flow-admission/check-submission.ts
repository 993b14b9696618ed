/**
 * Whether what is submitted may be, and can be run. Asks the cluster, stores nothing, and is the same
 * for a dry run.
 */
import { defineAdmission, type Admission } from '#shared/admission/admission.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { decide } from './decide.ts';
import { lookUp, type SubmissionFacts } from './facts.ts';
import { submissions, whatMatters } from './submission.ts';

export function checkSubmission(policy: PodPolicy): Admission<SubmissionFacts | undefined> {
  return defineAdmission({
    name: 'flow-validation',
    mode: 'validating',
    reviews: submissions,
    registration: { failurePolicy: 'Fail', timeoutSeconds: 10, matchConditions: whatMatters },
    lookUp: (review, cluster, signal) => lookUp(review, policy, cluster, signal),
    decide: (review, { facts }) => decide(review, facts),
  });
}
