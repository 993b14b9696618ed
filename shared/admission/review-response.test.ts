import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AdmissionDecision } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { readReview } from './review-request.ts';
import { reviewResponse } from './review-response.ts';
import { configMap, reviewBody } from './testing/review-body.ts';

const reviewOf = (changes: JsonObject = {}) => readReview('application/json', reviewBody(changes));
const mutating = { mode: 'mutating' } as const;
const validating = { mode: 'validating' } as const;
const denied: AdmissionDecision = {
  allowed: false,
  code: 403,
  reason: 'Forbidden',
  message: 'not here',
};
const changed: AdmissionDecision = { allowed: true, object: configMap('a', { colour: 'red' }) };
const responseTo = (
  decision: AdmissionDecision,
  mode: typeof mutating | typeof validating = mutating,
) => reviewResponse(mode, reviewOf(), decision)['response'] as JsonObject;

it('carries the uid of the review, whatever is decided', () => {
  const decision = fc.constantFrom<AdmissionDecision>({ allowed: true }, denied, changed);
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), decision, (uid, decided) => {
      expect(reviewResponse(mutating, reviewOf({ uid }), decided)).toMatchObject({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid, allowed: decided.allowed },
      });
    }),
  );
});

it('has a patch and its type for an object that was changed', () => {
  const { patch, patchType } = responseTo(changed);
  expect(patchType).toBe('JSONPatch');
  expect(JSON.parse(Buffer.from(patch as string, 'base64').toString())).toEqual([
    { op: 'replace', path: '/data/colour', value: 'red' },
  ]);
});

it('has neither patch nor type for an object that stays as it is', () => {
  const same: AdmissionDecision = { allowed: true, object: configMap('a', { colour: 'blue' }) };
  expect(responseTo(same)).toEqual({ uid: 'u-review', allowed: true });
});

it('the response has code, reason and message of a denial, and its warnings', () => {
  expect(responseTo({ ...denied, warnings: ['mind\nthe gap'] })).toEqual({
    uid: 'u-review',
    allowed: false,
    status: { status: 'Failure', code: 403, reason: 'Forbidden', message: 'not here' },
    warnings: ['mind the gap'],
  });
});

it('is not to be had for what the API server would not take', () => {
  expect(() => responseTo(changed, validating)).toThrow(
    'a validating admission changed the object',
  );
  expect(() => responseTo({ ...denied, code: 200 })).toThrow('the code 200');
  const deletion = reviewOf({ operation: 'DELETE', object: null, oldObject: configMap('a') });
  expect(() => reviewResponse(mutating, deletion, changed)).toThrow('that is deleted was changed');
});
