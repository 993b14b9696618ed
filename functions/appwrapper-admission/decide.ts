/**
 * Judges the creation or change of an AppWrapper. Rules, words and order are those of the original controller
 * (internal/webhook). Further rules are marked as such.
 */
import type { AdmissionDecision, Denied, Review } from '#shared/domain/admission-decision.ts';
import { together } from '#shared/domain/field-error.ts';
import { creationFindings } from './decide/creation.ts';
import { remarksOn } from './decide/remarks.ts';
import { changeErrors } from './decide/change.ts';
import type { WrapperFacts } from './facts.ts';

export function decide(review: Review, facts: WrapperFacts | undefined): AdmissionDecision {
  const { errors, warnings } =
    facts === undefined
      ? { errors: changeErrors(review), warnings: [] }
      : creationFindings(review, facts);
  if (errors.length > 0) return forbidden(errors);
  const shown = [...warnings, ...remarksOn(review)];
  return { allowed: true, ...(shown.length === 0 ? {} : { warnings: shown }) };
}

function forbidden(errors: readonly string[]): Denied {
  return { allowed: false, code: 403, reason: 'Forbidden', message: together(errors) };
}
