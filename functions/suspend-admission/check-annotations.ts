/**
 * Checks Millrace's annotations that users write: a misspelt key or an invalid value would silently have no effect.
 * It may fail open: suspend-schedule reports an override that it cannot read.
 */
import { type Admission, defineAdmission } from '#shared/admission/admission.ts';
import { unknownAnnotation } from '#shared/api/annotation-faults.ts';
import type { AdmissionDecision, Review } from '#shared/domain/admission-decision.ts';
import { annotations, isReservedKey, isUnknownAnnotation, prefix } from '#shared/domain/labels.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { readOverride } from '#shared/suspension/override.ts';
import { governed, isChildOfOurs, mapOf, reviewsOf } from './governed-kinds.ts';
import { annotationsOf } from '#shared/domain/queue-labels.ts';

const own = mapOf('object', 'annotations');
/** Known annotations whose values are not checked. */
const unchecked = Object.values(annotations)
  .filter((key) => key !== annotations.suspendOverride)
  .map((key) => `'${key}'`);
const changesOurs = [
  { name: 'not-a-child-of-millrace', expression: `!${isChildOfOurs}` },
  {
    name: 'has-a-key-to-judge',
    expression: `${own}.exists(key, key.startsWith('${prefix}') && !(key in [${unchecked.join(', ')}]))`,
  },
  {
    name: 'annotations-change',
    expression: `oldObject == null || ${own} != ${mapOf('oldObject', 'annotations')}`,
  },
] as const;

export const checkAnnotations: Admission = defineAdmission({
  name: 'annotations',
  mode: 'validating',
  reviews: reviewsOf(governed, ['CREATE', 'UPDATE']),
  registration: { failurePolicy: 'Ignore', timeoutSeconds: 3, matchConditions: changesOurs },
  decide: judge,
});

/** Judges only what this request changes, so that stored faults block no other change. */
function judge({ object, oldObject }: Review): AdmissionDecision {
  const before = annotationsOf(oldObject);
  const faults = Object.entries(annotationsOf(object))
    .filter(([key, value]) => isReservedKey(key) && ownMember(before, key) !== value)
    .flatMap(([key, value]) => faultOf(key, value));
  if (faults.length === 0) return { allowed: true };
  return { allowed: false, code: 422, reason: 'Invalid', message: faults.slice(0, 10).join('; ') };
}

function faultOf(key: string, value: string): readonly string[] {
  const path = `metadata.annotations[${key}]`;
  if (key === annotations.suspendOverride) {
    const read = readOverride(value);
    return typeof read === 'string' ? [`${path}: ${read}`] : [];
  }
  return isUnknownAnnotation(key) ? [unknownAnnotation(key)] : [];
}
