/** Checks whether the submission is permitted and can be run. Stores nothing, so a dry run gets the same answer. */
import { defineAdmission, type Admission } from '#shared/admission/admission.ts';
import type { AccessAnswer } from '#shared/kube/access-review.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { decide } from './decide.ts';
import { lookUp, type SubmissionFacts } from './facts.ts';
import { mayPlace, placementDenial } from './placement.ts';
import { submissions, whatMatters } from './submission.ts';

/** The policy for Pods at the time of the review. */
interface Known {
  readonly policy: PodPolicy;
}

interface Facts {
  /** Undefined: nothing that is run changes. */
  readonly submission: SubmissionFacts | undefined;
  /** Undefined: the right is not needed. */
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
