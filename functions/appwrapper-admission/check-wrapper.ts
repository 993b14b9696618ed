/**
 * Checks whether an AppWrapper may be created and can be run, and that it stays as it was judged. Stores nothing, so a
 * dry run gets the same answer.
 */
import { type Admission, defineAdmission } from '#shared/admission/admission.ts';
import { decide } from './decide.ts';
import { lookUp, type WrapperFacts, type WrapperServices } from './facts.ts';
import { mapOf, reviewedWrappers } from './wrapper-review.ts';

const differ = (['labels', 'annotations'] as const)
  .map((field) => `${mapOf('object', field)} != ${mapOf('oldObject', field)}`)
  .join(' || ');

export const checkWrapper: Admission<WrapperFacts | undefined, WrapperServices> = defineAdmission({
  name: 'appwrapper-validation',
  mode: 'validating',
  reviews: reviewedWrappers,
  registration: {
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    matchConditions: [
      {
        name: 'judged-fields-change',
        expression: `oldObject == null || object.spec != oldObject.spec || ${differ}`,
      },
    ],
  },
  lookUp,
  decide: (review, { facts }) => decide(review, facts),
});
