/**
 * Whether what is submitted may be, and can be run. Asks the cluster, stores nothing, and is the same
 * for a dry run.
 */
import { defineAdmission, type Admission } from '#shared/admission/admission.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { decide } from './decide.ts';
import { lookUp, type SubmissionFacts } from './facts.ts';
import { submissions, whatMatters } from './submission.ts';

/** What is refused in Pods, as it is set when the review comes. */
interface Known {
  readonly policy: PodPolicy;
}

export const checkSubmission: Admission<SubmissionFacts | undefined, Known> = defineAdmission({
  name: 'flow-validation',
  mode: 'validating',
  reviews: submissions,
  registration: { failurePolicy: 'Fail', timeoutSeconds: 10, matchConditions: whatMatters },
  lookUp: (review, known, signal) => lookUp(review, known.policy, known, signal),
  decide: (review, { facts }) => decide(review, facts),
});
