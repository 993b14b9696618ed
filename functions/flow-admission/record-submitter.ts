/**
 * Records the submitter in an annotation, so that later creates of Jobs can check this user's rights. A user who
 * changes what the object runs becomes its submitter: those rights were judged, so they count later. In other
 * updates a missing annotation is restored, and `check-submission.ts` refuses a different text.
 *
 * It may fail open: the check that follows refuses an object without the annotation.
 */
import { defineAdmission } from '#shared/admission/admission.ts';
import type { AdmissionDecision, Review } from '#shared/domain/admission-decision.ts';
import { annotations } from '#shared/domain/labels.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { hintsOnAnnotations } from './annotation-size.ts';
import {
  changesWork,
  kindOf,
  objectOf,
  submissions,
  submitterIn,
  whatMatters,
  withSubmitter,
} from './submission.ts';

export const recordSubmitter = defineAdmission({
  name: 'flow-submitter',
  mode: 'mutating',
  reviews: submissions,
  registration: { failurePolicy: 'Ignore', timeoutSeconds: 10, matchConditions: whatMatters },
  decide,
});

function decide(review: Review): AdmissionDecision {
  const object = objectOf(review);
  const written = submitterIn(object);
  const due = dueText(review, written);
  const warnings = [
    ...(review.operation === 'CREATE' && written !== undefined && written !== due
      ? [
          `metadata.annotations: ${annotations.submitter} names the submitter; Millrace replaces your value`,
        ]
      : []),
    ...hintsOnAnnotations(object),
    ...(kindOf(review).hints?.(object) ?? []),
  ];
  return {
    allowed: true,
    ...(due === undefined || due === written ? {} : { object: withSubmitter(object, due) }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** Undefined: nothing has to be written. */
function dueText(review: Review, written: string | undefined): string | undefined {
  if (changesWork(review)) return submitterText(review.user);
  return written ?? submitterIn(review.oldObject);
}
