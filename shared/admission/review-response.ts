/** AdmissionReview (admission.k8s.io/v1) as the API server takes it. */
import type { AdmissionDecision, Denied, Review } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Admission } from './admission.ts';
import { patchBetween, type Operation } from './review-patch.ts';
import { reviewApiVersion } from './review-request.ts';
import { boundedWarnings } from './warnings.ts';

/**
 * Throws an Error for what the API server would not take: a change by a validating admission or of an
 * object that is deleted, and a denial without an error's code.
 */
export function reviewResponse(
  admission: Pick<Admission, 'mode'>,
  review: Review,
  decision: AdmissionDecision,
): JsonObject {
  const warnings = boundedWarnings(decision.warnings ?? []);
  return {
    apiVersion: reviewApiVersion,
    kind: 'AdmissionReview',
    response: {
      uid: review.uid,
      allowed: decision.allowed,
      ...(decision.allowed ? patchMembers(changesOf(admission, review, decision)) : {}),
      ...(decision.allowed ? {} : { status: statusOf(decision) }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

/** What the decision changes of the object; empty when it denies. */
export function changesOf(
  { mode }: Pick<Admission, 'mode'>,
  { object }: Review,
  decision: AdmissionDecision,
): readonly Operation[] {
  if (!decision.allowed || decision.object === undefined) return [];
  if (mode === 'validating') throw new Error('a validating admission changed the object');
  if (object === undefined) throw new Error('an object that is deleted was changed');
  return patchBetween(object, decision.object);
}

/** Patch and type come together or not at all (VerifyAdmissionResponse). */
function patchMembers(patch: readonly Operation[]): JsonObject {
  if (patch.length === 0) return {};
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  return { patchType: 'JSONPatch', patch: encoded };
}

function statusOf({ code, reason, message }: Denied): JsonObject {
  if (!Number.isInteger(code) || code < 400 || code > 499) {
    throw new Error(`a request was denied with the code ${code}, which is none of 400 to 499`);
  }
  return { status: 'Failure', code, reason, message };
}
