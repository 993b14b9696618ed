/** Makes an AdmissionReview (admission.k8s.io/v1) for the API server. */
import type { AdmissionDecision, Denied, Review } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Admission } from './admission.ts';
import { patchBetween, type Operation } from './review-patch.ts';
import { reviewApiVersion } from './review-request.ts';
import { boundedWarnings } from './warnings.ts';

/**
 * Throws an Error for an answer that the API server would refuse: a change by a validating admission
 * or of a deleted object, or a denial whose code is not an error.
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

/** The decision's changes to the object; empty if it denies. */
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

/** Patch and type must both be present or both absent (VerifyAdmissionResponse). */
function patchMembers(patch: readonly Operation[]): JsonObject {
  if (patch.length === 0) return {};
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  return { patchType: 'JSONPatch', patch: encoded };
}

function statusOf({ code, reason, message }: Denied): JsonObject {
  if (!Number.isInteger(code) || code < 400 || code > 499) {
    throw new Error(`a request was denied with the code ${code}, which is not one of 400 to 499`);
  }
  return { status: 'Failure', code, reason, message };
}
