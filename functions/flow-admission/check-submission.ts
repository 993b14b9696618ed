/**
 * Whether what is submitted may be, and can be run. Asks the cluster, stores nothing, and is the same
 * for a dry run.
 */
import { defineAdmission, type Admission } from '#shared/admission/admission.ts';
import type { AccessAnswer } from '#shared/kube/access-review.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { decide } from './decide.ts';
import { lookUp, type SubmissionFacts } from './facts.ts';
import { mayPlace, placementDenial } from './placement.ts';
import { submissions, whatMatters } from './submission.ts';

/** What is refused in Pods, as it is set when the review comes. */
interface Known {
  readonly policy: PodPolicy;
}

interface Facts {
  /** Undefined: nothing that is run changes. */
  readonly submission: SubmissionFacts | undefined;
  /** Undefined: it is not asked for. */
  readonly mayPlace: AccessAnswer | undefined;
}

export const checkSubmission: Admission<Facts, Known> = defineAdmission({
  name: 'flow-validation',
  mode: 'validating',
  reviews: submissions,
  registration: { failurePolicy: 'Fail', timeoutSeconds: 10, matchConditions: whatMatters },
  lookUp: async (review, known, signal) => {
    const [submission, places] = await Promise.all([
      lookUp(review, known.policy, known, signal),
      mayPlace(review, known, signal),
    ]);
    return { submission, mayPlace: places };
  },
  decide: (review, { facts }) =>
    placementDenial(review, facts.mayPlace) ?? decide(review, facts.submission),
});
